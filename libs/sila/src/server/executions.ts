import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@lab/sdk';
import { ServedError, servedError } from './errors.js';

/** How long the result of an execution is kept after its end, in milliseconds. */
const keptMs = 3_600_000;
/** Largest number of executions that are kept. */
const most = 1_000;

type Status = 'running' | 'finishedSuccessfully' | 'finishedWithError';

interface Running {
  command: string;
  status: Status;
  result: JsonObject | undefined;
  error: ServedError | undefined;
  endedAt: number | undefined;
  /** Are called at the end. */
  listeners: Set<() => void>;
}

/** The executions of observable commands of our server, by their UUIDs. */
export class ServedExecutions {
  readonly #all = new Map<string, Running>();

  /** Begins an execution. @param command its full identifier @returns its UUID */
  begin(command: string, work: () => Promise<JsonObject>): string {
    this.#forget();
    const uuid = randomUUID();
    const running: Running = {
      command,
      status: 'running',
      result: undefined,
      error: undefined,
      endedAt: undefined,
      listeners: new Set(),
    };
    this.#all.set(uuid, running);
    const end = (status: Status): void => {
      running.status = status;
      running.endedAt = performance.now();
      for (const listener of running.listeners) listener();
    };
    work().then(
      (result) => {
        running.result = result;
        end('finishedSuccessfully');
      },
      (error: unknown) => {
        running.error = servedError(error);
        end('finishedWithError');
      },
    );
    return uuid;
  }

  /** @throws ServedError when there is no such execution of the command */
  status(command: string, uuid: string): Status {
    return this.#find(command, uuid).status;
  }

  /** Calls the listener at the end of an execution, or now. @returns a function that ends the watch */
  whenEnded(command: string, uuid: string, listener: () => void): () => void {
    const { status, listeners } = this.#find(command, uuid);
    if (status !== 'running') {
      listener();
      return () => undefined;
    }
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** @throws ServedError when it has not ended, or ended with an error */
  result(command: string, uuid: string): JsonObject {
    const { result, error } = this.#find(command, uuid);
    if (error !== undefined) throw error;
    if (result === undefined)
      throw ServedError.framework('COMMAND_EXECUTION_NOT_FINISHED', `execution ${uuid} has not ended`);
    return result;
  }

  #find(command: string, uuid: string): Running {
    const found = this.#all.get(uuid);
    if (found?.command === command) return found;
    throw ServedError.framework(
      'INVALID_COMMAND_EXECUTION_UUID',
      `there is no execution ${uuid} of ${command}`,
    );
  }

  #forget(): void {
    for (const [uuid, { endedAt }] of this.#all) {
      const isOld = endedAt !== undefined && performance.now() - endedAt > keptMs;
      if (isOld || (endedAt !== undefined && this.#all.size >= most)) this.#all.delete(uuid);
    }
  }
}
