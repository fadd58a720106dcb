import {
  isServiceError,
  mediaTypeOf,
  ServiceError,
  toServiceError,
  type FromTask,
  type LocalFile,
  type TaskStart,
  type ToTask,
} from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import type { AgentLog, Files, InstrumentFiles } from '../ports/index.js';

/** Milliseconds between two looks for a file. */
const lookEveryMs = 1_000;

type Expectation = Extract<FromTask, { type: 'expect_file' }>;

interface Ports {
  clock: Clock;
  timers: Timers;
  files: Files;
  instrumentFiles?: InstrumentFiles;
}

/** Files of instruments for which a task waits. Each waiting gets another file. */
export class ExpectedFiles {
  /** Handles of the files that the task got, or is about to get. */
  readonly #given = new Set<string>();

  constructor(
    private readonly start: TaskStart,
    private readonly ports: Ports,
    private readonly log: AgentLog,
  ) {}

  /** Waits for a file and passes a copy on to the task process. @param over when it fires, the waiting ends */
  async give(
    { call_id, slot, pattern, timeout_s: timeoutS }: Expectation,
    answer: (message: ToTask) => void,
    over: AbortSignal,
  ): Promise<void> {
    try {
      const file = await this.#await(slot, pattern, timeoutS, over);
      answer({ type: 'call_result', call_id, value: { ...file } });
    } catch (thrown) {
      const { code, message } = toServiceError(thrown);
      answer({ type: 'call_failure', call_id, code, error: { message } });
    }
  }

  async #await(slot: string, pattern: string, timeoutS: number, over: AbortSignal): Promise<LocalFile> {
    const device = this.start.devices[slot];
    if (device === undefined) {
      const slots = Object.keys(this.start.devices).join(', ') || 'none';
      throw new ServiceError('unknown_device', `the task has no device '${slot}'; it has: ${slots}`);
    }
    const { clock } = this.ports;
    const until = clock.now() + timeoutS * 1_000;
    for (;;) {
      let trouble = '';
      if (over.aborted) throw new ServiceError('aborted', 'the task is being stopped');
      try {
        const file = await this.#look(device, pattern, over);
        if (file !== undefined) return file;
      } catch (error) {
        if (over.aborted || (isServiceError(error) && error.code === 'invalid')) throw error;
        trouble = `; the last look failed: ${toServiceError(error).message}`;
        this.log.debug('a file of an instrument cannot be had now', { reason: trouble });
      }
      const leftMs = until - clock.now();
      if (leftMs <= 0)
        throw new ServiceError(
          'deadline_exceeded',
          `no file ${pattern} came for this task within ${timeoutS} s${trouble}`,
        );
      await this.#pause(Math.min(lookEveryMs, leftMs), over);
    }
  }

  async #look(
    { lab, name }: { lab: string; name: string },
    pattern: string,
    over: AbortSignal,
  ): Promise<LocalFile | undefined> {
    const { files, instrumentFiles } = this.ports;
    if (instrumentFiles === undefined)
      throw new ServiceError('invalid', 'this agent takes no files of instruments');
    const attemptId = this.start.attempt_id;
    const known = this.#given;
    const found = await instrumentFiles.next({ attemptId, device: { lab, name }, pattern, known });
    if (found === undefined || known.has(found.file.handle)) return undefined;
    const { file, ticket } = found;
    known.add(file.handle);
    try {
      const path = await files.place(attemptId, file, () => Promise.resolve(ticket), over);
      const { size, sha256 } = file;
      return { name: file.name, size, sha256, media_type: mediaTypeOf(file.name), path };
    } catch (error) {
      known.delete(file.handle);
      throw error;
    }
  }

  #pause(ms: number, over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        over.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.ports.timers.after(ms, end);
      over.addEventListener('abort', end);
    });
  }
}
