import { stat } from 'node:fs/promises';
import { isMissing } from './module-store.js';

/** Coarsest step of a file system's clock that is allowed for, in milliseconds. */
export const clockStep = 20;

interface State {
  /** Size, times and inode; changes whenever the file is written. */
  mark: string;
  /** The later of the times of writing and of moving or setting times. */
  changedMs: number;
  modifiedMs: number;
}

interface Remembered<T> {
  mark: string;
  /** False: the file was written so shortly before it was read that another write may have left the same mark. */
  isSettled: boolean;
  value: T;
}

/** What was made of files, made again only when the file has changed; the change is seen by its state, not by its text. */
export class FileMemory<T> {
  private readonly known = new Map<string, Remembered<T>>();

  /**
   * @param make from the path; called again when the file may have changed. `before` is what it made the last time.
   */
  constructor(private readonly make: (path: string, before: T | undefined) => Promise<T>) {}

  async of(path: string, round: Round): Promise<T> {
    const state = await round.state(path);
    const known = this.known.get(path);
    if (known?.isSettled === true && known.mark === state.mark) return known.value;
    const value = await this.make(path, known?.value);
    this.known.set(path, {
      mark: state.mark,
      isSettled: state.changedMs < round.startedAt - clockStep,
      value,
    });
    return value;
  }
}

/** One look at the file system, in which each file is looked at once. */
export class Round {
  readonly startedAt = Date.now();
  private readonly states = new Map<string, Promise<State>>();

  state(path: string): Promise<State> {
    const known = this.states.get(path);
    if (known) return known;
    const state = stat(path).then(
      ({ size, mtimeMs, ctimeMs, ino }) => ({
        mark: `${size} ${mtimeMs} ${ctimeMs} ${ino}`,
        changedMs: Math.max(mtimeMs, ctimeMs),
        modifiedMs: mtimeMs,
      }),
      (error: unknown) => {
        if (isMissing(error)) return { mark: 'missing', changedMs: 0, modifiedMs: 0 };
        throw error;
      },
    );
    this.states.set(path, state);
    return state;
  }
}
