import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What physically is in a simulated instrument. A real beaker stays in its clamp when a process ends, so this state outlasts
 * the process of the device: each change is on disk before `set` returns.
 */
export class PhysicalState<State> {
  private readonly file: string | null;
  private state: State;

  /**
   * @param folder folder of the device; null: the state lasts as long as the object, for tests
   * @param atFirst state of an instrument that nobody has used yet
   * @throws Error when the file of the state cannot be read; it names the file
   */
  constructor(folder: string | null, atFirst: State) {
    this.file = folder === null ? null : join(folder, 'physical-state.json');
    this.state = this.read() ?? atFirst;
  }

  get(): State {
    return this.state;
  }

  /** @throws Error of the disk; the state is unchanged then */
  set(state: State): void {
    if (this.file !== null) {
      const draft = `${this.file}.new`;
      writeFileSync(draft, JSON.stringify(state));
      renameSync(draft, this.file);
    }
    this.state = state;
  }

  private read(): State | undefined {
    if (this.file === null) return undefined;
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as State;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${this.file} does not say what is in the instrument (${why}): empty the instrument, then remove the file`,
        { cause: error },
      );
    }
  }
}
