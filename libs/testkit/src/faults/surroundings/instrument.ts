import type { DeviceFunction, JsonObject, JsonValue } from '@lab/contracts';
import type { History, InstrumentEntry } from './history.js';
import type { SimulatedTime } from './simulated-time.js';

/** What every simulated instrument can do: something that moves, something that may be repeated, something that looks. */
export const instrumentFunctions: readonly DeviceFunction[] = [
  { name: 'move', kind: 'effect', timeout_s: 8 },
  { name: 'set', kind: 'idempotent', timeout_s: 8 },
  { name: 'look', kind: 'query', timeout_s: 8 },
];

/**
 * A physical instrument. It outlives every process that drives it: a motion that was commanded goes on to its end when
 * its driver dies, and stands in the instrument's own log whatever becomes of everybody else.
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

  /** The next homing fails. */
  failsToHome = false;

  get moving(): boolean {
    return this.#motion !== undefined;
  }

  /** Carries out a command. @returns what the driver hears in the end; a motion that was stopped is an error */
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

  /** `_initialize`: everything comes to rest at its home. */
  home(ms: number): Promise<void> {
    this.halt();
    const fails = this.failsToHome;
    this.failsToHome = false;
    return new Promise((resolve, reject) =>
      this.time.after(ms, () => (fails ? reject(new Error('no home was found')) : resolve())),
    );
  }

  /** Whatever moves comes to rest. */
  halt(): void {
    this.#motion?.stop('stopped');
  }
}
