import type { DeviceFunction, JsonObject, JsonValue } from '@lab/contracts';
import type { History, InstrumentEntry } from './history.js';
import type { SimulatedTime } from './simulated-time.js';

/** The functions of every simulated instrument: an effect, an idempotent one, and a query. */
export const instrumentFunctions: readonly DeviceFunction[] = [
  { name: 'move', kind: 'effect', timeout_s: 8 },
  { name: 'set', kind: 'idempotent', timeout_s: 8 },
  { name: 'look', kind: 'query', timeout_s: 8 },
];

/**
 * A physical instrument. It outlives its driver processes: a motion goes on when its driver dies. The instrument logs
 * every motion itself.
 */
export class Instrument {
  readonly #log: InstrumentEntry[] = [];
  #motion: { entry: InstrumentEntry; stop: (how: 'done' | 'stopped') => void } | undefined;

  constructor(
    readonly key: string,
    private readonly time: SimulatedTime,
    private readonly history: History,
  ) {
    history.instruments.set(key, this.#log);
  }

  /** The next `_initialize` fails. */
  failsToHome = false;

  get moving(): boolean {
    return this.#motion !== undefined;
  }

  /**
   * Executes a command.
   *
   * @returns the answer to the driver
   * @throws Error when the motion was stopped
   */
  command(name: string, args: JsonObject, callId: string): Promise<JsonValue> {
    const tag = String(args['tag']);
    const ms = Number(args['ms'] ?? 0);
    if (name === 'look') return new Promise((resolve) => this.time.after(ms, () => resolve(this.moving)));
    if (name === 'set') return new Promise((resolve) => this.time.after(ms, () => resolve(tag)));
    return new Promise((resolve, reject) => {
      const entry: InstrumentEntry = { at: this.time.now(), what: 'begin', tag, function: name, callId };
      this.#log.push(entry);
      this.history.note(`${this.key} begins ${tag}`);
      const motion = {
        entry,
        stop: (how: 'done' | 'stopped'): void => {
          if (ended) return;
          ended = true;
          cancel();
          if (this.#motion === motion) this.#motion = undefined;
          this.#log.push({ ...entry, at: this.time.now(), what: 'end' });
          this.history.note(`${this.key} ends ${tag}`, how);
          if (how === 'done') resolve(tag);
          else reject(new Error(`${name} was stopped`));
        },
      };
      let ended = false;
      const cancel = this.time.after(ms, () => motion.stop('done'));
      this.#motion = motion;
    });
  }

  /** `_initialize`: stops any motion and moves to the home position. @param ms duration in milliseconds */
  home(ms: number): Promise<void> {
    this.stopMotion();
    const fails = this.failsToHome;
    this.failsToHome = false;
    return new Promise((resolve, reject) =>
      this.time.after(ms, () => (fails ? reject(new Error('no home was found')) : resolve())),
    );
  }

  /** Stops any motion. */
  stopMotion(): void {
    this.#motion?.stop('stopped');
  }
}
