import type { MetricFamily } from '@lab/contracts';
import type { Measured } from './exposition.js';

/** A process that has not told anything for so long has ended, or is not heard, in milliseconds. */
const forgottenMs = 30_000;
/** Processes that are remembered at most, so that none that speaks under ever new names takes the memory. */
const mostProcesses = 200;

/** What each process of the service has measured, as it last told. */
export class Measurements {
  readonly #heard = new Map<string, { measured: Measured; at: number }>();

  /**
   * @param own what this process has measured
   * @param now milliseconds that never go back
   */
  constructor(
    private readonly own: () => Measured,
    private readonly now: () => number,
  ) {}

  /** Of a server that measures nothing. */
  static none(): Measurements {
    return new Measurements(
      () => ({ service: 'gateway', instance: '', families: [] }),
      () => 0,
    );
  }

  /** A process tells what it has measured. */
  hear(measured: { service: string; instance: string; families: MetricFamily[] }): void {
    const key = `${measured.service}/${measured.instance}`;
    this.#heard.delete(key);
    this.#heard.set(key, { measured, at: this.now() });
    if (this.#heard.size > mostProcesses) {
      const [quietest] = this.#heard.keys();
      if (quietest !== undefined) this.#heard.delete(quietest);
    }
  }

  /** Of this process as it is, of others as they last told; by name of the process. */
  all(): Measured[] {
    const since = this.now() - forgottenMs;
    for (const [key, { at }] of this.#heard) if (at < since) this.#heard.delete(key);
    const others = [...this.#heard].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { measured }]) => measured);
    return [this.own(), ...others];
  }
}
