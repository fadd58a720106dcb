import type { MetricFamily } from '@lab/contracts';
import type { Measured } from './exposition.js';

/** Time after which a silent process counts as ended, in milliseconds. */
const forgottenMs = 30_000;
/** Maximum number of processes in memory, in case a process reports under ever new names. */
const mostProcesses = 200;

/** The latest metrics of each process of the service. */
export class Measurements {
  readonly #heard = new Map<string, { measured: Measured; at: number }>();

  /**
   * @param own metrics of this process
   * @param now milliseconds that never go back
   */
  constructor(
    private readonly own: () => Measured,
    private readonly now: () => number,
  ) {}

  /** For a server without metrics. */
  static none(): Measurements {
    return new Measurements(
      () => ({ service: 'gateway', instance: '', families: [] }),
      () => 0,
    );
  }

  /** Takes the metrics that a process reports. */
  hear(measured: { service: string; instance: string; families: MetricFamily[] }): void {
    const key = `${measured.service}/${measured.instance}`;
    this.#heard.delete(key);
    this.#heard.set(key, { measured, at: this.now() });
    if (this.#heard.size > mostProcesses) {
      const [quietest] = this.#heard.keys();
      if (quietest !== undefined) this.#heard.delete(quietest);
    }
  }

  /** Current metrics of this process and the latest of the others, by name of the process. */
  all(): Measured[] {
    const since = this.now() - forgottenMs;
    for (const [key, { at }] of this.#heard) if (at < since) this.#heard.delete(key);
    const others = [...this.#heard].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { measured }]) => measured);
    return [this.own(), ...others];
  }
}
