import { stat } from 'node:fs/promises';
import { isMissing } from './whole-files.js';

/** Coarsest clock step of a file system that is supported, in milliseconds. */
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
  /** False: the file was written so shortly before the read that another write may have left the same mark. */
  isSettled: boolean;
  value: T;
}

/**
 * Keeps results that were made from files, and makes them again only when the file has changed. A change is seen by
 * the state of the file, not by its text.
 */
export class FileMemory<T> {
  private readonly known = new Map<string, Remembered<T>>();

  /**
   * @param make makes the result from the path; called again when the file may have changed. `before` is its previous
   *   result.
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

/** One look at the file system, which reads the state of each file only once. */
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
