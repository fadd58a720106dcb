import { rm } from 'node:fs/promises';
import type { AgentLog, FileTicket } from '@lab/actors';
import { toServiceError, type DeviceFile, type ErrorCode } from '@lab/contracts';
import { backoffMs, type Timers } from '@lab/ports';
import type { Journal, Taken } from './journal.js';

/** Pauses after failures, in milliseconds. */
const pauses = { first: 1_000, longest: 60_000 };

/** Codes that say nothing of a file: no other one would fare better now. */
const away: ReadonlySet<ErrorCode> = new Set(['disconnected', 'deadline_exceeded', 'store_unavailable']);

/** The service, as far as files of instruments go. Every method throws ServiceError. */
export interface FileService {
  /** Where to send the bytes; null: the service has the file. */
  uploadTicket(file: Pick<DeviceFile, 'id' | 'size' | 'sha256'>): Promise<FileTicket | null>;
  send(path: string, file: Pick<DeviceFile, 'name' | 'size'>, ticket: FileTicket): Promise<void>;
  /** Stores the record of a file whose bytes the service has. @throws ServiceError `not_found` when it has not */
  store(file: DeviceFile): Promise<void>;
}

/** A journal with what happens to its files when they are stored. */
export interface Source {
  journal: Journal;
  log: AgentLog;
  /** Moves or removes the file. @returns whether it is gone. @throws Error: try again later */
  settle(taken: Taken): Promise<boolean>;
}

/**
 * Stores taken files in the service, one after another, until all are stored. A file that fails does not hold up the others.
 * The bytes of a file are sent again only until the service has confirmed them.
 */
export class Delivery {
  readonly #stop = new AbortController();
  #failures = 0;
  #wake: () => void = () => undefined;
  /** Work came while a round was under way. */
  #isDue = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly service: FileService,
    private readonly sources: () => Iterable<Source>,
    private readonly timers: Timers,
  ) {}

  start(): void {
    this.#running = this.#forEver();
  }

  /** There is something to store. */
  hurry(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** Resolves when the step under way is over. The rest stays for the next process. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
  }

  /** Tries every open file once. @returns whether nothing is left */
  async round(): Promise<boolean> {
    let isDone = true;
    // One line says that files wait, however many they are and however long it takes.
    let isSaid = this.#failures > 0;
    for (const source of this.sources())
      for (const { taken, stored } of source.journal.open) {
        if (this.#stop.signal.aborted) return false;
        try {
          await this.#deliver(source, taken, stored);
        } catch (error) {
          isDone = false;
          const { code, message } = toServiceError(error);
          source.log[isSaid ? 'debug' : 'warn']('a file of the instrument waits', {
            file: taken.file.path,
            reason: message,
          });
          isSaid = true;
          if (away.has(code)) return false;
        }
      }
    return isDone;
  }

  async #deliver({ journal, settle, log }: Source, taken: Taken, stored: boolean): Promise<void> {
    const { file, copy } = taken;
    if (!stored) {
      const ticket = await this.service.uploadTicket(file);
      if (ticket !== null) {
        await this.service.send(journal.copy(copy), file, ticket);
        await this.service.store(file);
      }
      await journal.stored(file.id);
      log.info('a file of the instrument is stored', { file: file.path, id: file.id });
    }
    await rm(journal.copy(copy), { force: true });
    await journal.done(file.id, await settle(taken));
  }

  async #forEver(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#isDue = false;
      this.#failures = (await this.round()) ? 0 : this.#failures + 1;
      if (this.#failures > 0) await this.#pause(backoffMs(this.#failures, pauses));
      else if (!this.#isDue) await this.#pause(undefined);
    }
  }

  /** @param ms undefined: until there is work */
  #pause(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === undefined ? () => undefined : this.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#stop.signal.aborted) this.#wake();
    });
  }
}
