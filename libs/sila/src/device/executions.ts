import { join } from 'node:path';
import { DurableFile } from './durable-file.js';

/** A command that was sent, or is about to be, and whose end this process has not seen. */
export interface Execution {
  callId: string;
  /** Full identifier of the feature. */
  feature: string;
  command: string;
  /** Of the execution of an observable command; null: the server has not named one. */
  uuid: string | null;
}

/**
 * The commands whose end is not known. A command is written down before it is sent, and the UUID of its execution before anything else
 * is done with it, so that a later process can ask the server for it.
 */
export class Executions {
  readonly #file: DurableFile<Execution[]>;
  #open: Execution[] = [];

  /** @param folder null: nothing is kept */
  constructor(folder: string | null) {
    this.#file = new DurableFile(folder === null ? null : join(folder, 'executions.json'), []);
  }

  /** What earlier processes left. */
  left(): Promise<Execution[]> {
    return this.#file.read();
  }

  /** Forgets what earlier processes left. */
  async forget(): Promise<void> {
    if ((await this.#file.read()).length > 0) await this.#file.write([]);
  }

  async begin(execution: Omit<Execution, 'uuid'>): Promise<void> {
    this.#open = [...this.#open, { ...execution, uuid: null }];
    await this.#file.write(this.#open);
  }

  async named(callId: string, uuid: string): Promise<void> {
    this.#open = this.#open.map((each) => (each.callId === callId ? { ...each, uuid } : each));
    await this.#file.write(this.#open);
  }

  async end(callId: string): Promise<void> {
    this.#open = this.#open.filter((each) => each.callId !== callId);
    await this.#file.write(this.#open);
  }
}
