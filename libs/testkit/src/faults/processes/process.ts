import { Life } from '../surroundings/life.js';
import type { Surroundings } from '../surroundings/surroundings.js';

/** Time from the start of a process until it works, in milliseconds. */
const bootMs = 300;

/** A process that its supervisor starts again after each end. */
export abstract class SimulatedProcess {
  /** Undefined while the process does not run. */
  life: Life | undefined;
  /** Number of the present or last process, from 1. */
  protected boots = 0;

  /** @param downMs time until the process is started again, in milliseconds */
  constructor(
    readonly name: string,
    protected readonly world: Surroundings,
    protected downMs = 0,
  ) {}

  /** Starts a process unless one runs. */
  boot(): void {
    if (this.life !== undefined) return;
    const { world, name } = this;
    const life = new Life(name, world.time);
    this.life = life;
    const number = (this.boots += 1);
    world.history.note(`${name} boots`, `process ${number}`);
    life.onEnd(() => {
      const { downMs } = this;
      this.life = undefined;
      this.ended();
      world.time.after(downMs, () => {
        if (world.open) this.boot();
      });
    });
    life.after(bootMs, () => this.start(life, number));
  }

  /** The process dies. @param downMs until the next one is started, in milliseconds */
  crash(downMs: number): void {
    if (this.life === undefined) return;
    this.world.history.note(`${this.name} crashes`);
    this.downMs = downMs;
    this.life.end();
  }

  /** An orderly stop and a restart. @param downMs until the next process is started, in milliseconds */
  leave(downMs: number): void {
    const { life } = this;
    if (life === undefined || !this.mayLeave()) return;
    this.world.history.note(`${this.name} leaves`);
    this.downMs = downMs;
    this.stop(life);
  }

  protected mayLeave(): boolean {
    return true;
  }

  protected abstract start(life: Life, number: number): void;
  /** Stops the process in order, and ends its life. */
  protected abstract stop(life: Life): void;
  /** Forgets what belonged to the life that has ended. */
  protected abstract ended(): void;
}

/** A log that writes to the trace. @param skip levels that are not written */
export function traceOf({ history }: Surroundings, who: string, skip: readonly string[] = []) {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (skip.includes(level)) return;
      const text = JSON.stringify(fields);
      history.note(`  ${who} ${level}: ${message}`, text === '{}' ? undefined : text.slice(0, 300));
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
