import {
  errorCatalogue,
  ServiceError,
  type AuthorError,
  type ErrorCode,
  type JsonValue,
  type ToDevice,
} from '@lab/contracts';
import type { AgentLimits } from './limits.js';
import { Mailbox } from './mailbox.js';
import type { Log, Timers } from './ports.js';

/** A call that was found right, on its way to the process. */
export interface PostedCall {
  query: boolean;
  name: string;
  message: (id: string) => ToDevice;
  /** How long the caller waits for the call to begin, in milliseconds. */
  patienceMs: number;
  /** From its begin, in milliseconds. */
  runMs: number;
  /** Fired: the call is withdrawn if it has not begun. */
  signal: AbortSignal | undefined;
}

interface DeviceLetter {
  readonly id: string;
  readonly query: boolean;
  readonly name: string;
  readonly message: ToDevice;
  readonly patienceMs: number;
  /** From its begin. */
  readonly runMs: number;
  /** Of the time to begin, and once it has begun, of the time to end. */
  cancelTimer: () => void;
  /** Its time is over, and the process is being ended for it. */
  overdue: boolean;
  settle(error: ServiceError | undefined, value?: JsonValue): void;
}

/** What the calls of a device ask of the device. */
export interface CallsPorts {
  /** `<lab>.<device>`. */
  label: string;
  timers: Timers;
  log: Log;
  /** Is there a process that takes calls? */
  open(): boolean;
  send(message: ToDevice): void;
  /** An effect began, by its name; or undefined: none is in progress any more. */
  busyWith(name: string | undefined): void;
  /** A call did not end in its time: the process must be ended. */
  overdue(detail: string): void;
}

/** What a process that ended was in the middle of. */
export interface LostCalls {
  /** Name of the effect that was in progress. */
  interrupted: string | undefined;
  /** What outlived its time, if that is why the process was ended. */
  overdue: string | undefined;
  /** Fails the calls that were in progress. */
  settle(): void;
}

/**
 * The calls of one device, from their arrival to their end.
 *
 * Guarantees: those of {@link Mailbox}; a call is sent to the process at most once; one that was sent is settled only
 * when it was answered or the process is dead, but for a query that outlives its time beside an effect.
 */
export class DeviceCalls {
  readonly #ports: CallsPorts;
  readonly #capacity: number;
  readonly #mailbox: Mailbox<DeviceLetter>;
  #ids = 0;

  constructor(ports: CallsPorts, limits: AgentLimits) {
    this.#ports = ports;
    this.#capacity = limits.deviceMailbox;
    this.#mailbox = new Mailbox({ queries: limits.deviceQueries, capacity: limits.deviceMailbox });
  }

  /** No effect is in progress. */
  get quiet(): boolean {
    return this.#mailbox.effect === undefined;
  }

  /**
   * Takes a call in; resolves or rejects with its end.
   *
   * @throws ServiceError `device_unavailable` and `aborted` (effect none); `deadline_exceeded`, with effect none when it
   *   did not begin in time; `device_error`
   */
  post({ query, name, message, patienceMs, runMs, signal }: PostedCall): Promise<JsonValue | undefined> {
    if (signal?.aborted === true) return Promise.reject(this.#withdrawn(name));
    return new Promise((resolve, reject) => {
      const id = String(++this.#ids);
      const onAbort = (): void => {
        if (this.#mailbox.withdraw(letter)) letter.settle(this.#withdrawn(name));
      };
      const letter: DeviceLetter = {
        id,
        query,
        name,
        message: message(id),
        patienceMs,
        runMs,
        cancelTimer: () => undefined,
        overdue: false,
        settle(error, value) {
          this.cancelTimer();
          signal?.removeEventListener('abort', onAbort);
          if (error === undefined) resolve(value);
          else reject(error);
        },
      };
      if (!this.#mailbox.offer(letter)) {
        letter.settle(this.#unavailable(`has ${this.#capacity} calls waiting already`));
        return;
      }
      letter.cancelTimer = this.#ports.timers.after(patienceMs, () => this.#tooLate(letter));
      signal?.addEventListener('abort', onAbort);
      this.pump();
    });
  }

  /** Sends what may begin. */
  pump(): void {
    if (!this.#ports.open()) return;
    for (let letter = this.#mailbox.next(); letter !== undefined; letter = this.#mailbox.next()) {
      const begun = letter;
      begun.cancelTimer();
      begun.cancelTimer = this.#ports.timers.after(begun.runMs, () => this.#overdue(begun));
      if (!begun.query) this.#ports.busyWith(begun.name);
      this.#ports.send(begun.message);
    }
  }

  /** The process answered. */
  answered(
    id: string,
    failure: { code: string; error: AuthorError } | undefined,
    value: JsonValue | undefined,
  ): void {
    const letter = this.#mailbox.finish(id);
    if (letter === undefined) {
      this.#ports.log.debug('an answer came after its call was given up', { call: id });
      return;
    }
    if (!letter.query) this.#ports.busyWith(undefined);
    letter.settle(failure === undefined ? undefined : failureOf(letter, failure), value);
    this.pump();
  }

  /** Refuses what waits, with effect none. */
  refuseWaiting(why: string): void {
    for (const letter of this.#mailbox.dismiss()) letter.settle(this.#unavailable(why));
  }

  /**
   * The process is dead. What waited is refused; what was in progress is settled by the answer's `settle`.
   *
   * @param how it ended, for people
   */
  lost(how: string): LostCalls {
    const interrupted = this.#mailbox.effect?.name;
    this.refuseWaiting('lost its process');
    const running = this.#mailbox.drain();
    const overdue = running.find((letter) => letter.overdue);
    return {
      interrupted,
      overdue: overdue === undefined ? undefined : overdueText(overdue),
      settle: () => {
        for (const letter of running) letter.settle(this.#lossOf(letter, how));
      },
    };
  }

  #lossOf(letter: DeviceLetter, how: string): ServiceError {
    if (letter.overdue) return this.#overdueError(letter);
    return new ServiceError(
      'device_error',
      `the process of device ${this.#ports.label} ended during ${letter.name} (${how})`,
      { effect: letter.query ? 'none' : 'maybe' },
    );
  }

  #tooLate(letter: DeviceLetter): void {
    if (!this.#mailbox.withdraw(letter)) return;
    letter.settle(
      new ServiceError(
        'deadline_exceeded',
        `${letter.name} of device ${this.#ports.label} did not begin within ${letter.patienceMs / 1000} s`,
      ),
    );
  }

  #overdue(letter: DeviceLetter): void {
    letter.overdue = true;
    if (letter.query && !this.quiet) {
      this.#mailbox.finish(letter.id);
      letter.settle(this.#overdueError(letter));
      this.pump();
      return;
    }
    this.#ports.log.error('a call did not end in time; ending the process of the device', {
      function: letter.name,
      deadline_ms: letter.runMs,
    });
    this.#ports.overdue(overdueText(letter));
  }

  #overdueError(letter: DeviceLetter): ServiceError {
    return new ServiceError(
      'deadline_exceeded',
      `${letter.name} of device ${this.#ports.label} did not end within ${letter.runMs / 1000} s`,
      { effect: letter.query ? 'none' : 'maybe' },
    );
  }

  #withdrawn(name: string): ServiceError {
    return new ServiceError(
      'aborted',
      `${name} of device ${this.#ports.label} was withdrawn before it began`,
    );
  }

  #unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `device ${this.#ports.label} ${why}`);
  }
}

function overdueText(letter: DeviceLetter): string {
  return `${letter.name} did not end within ${letter.runMs / 1000} s`;
}

/** What the host could not even begin has had no effect. */
const notBegun: readonly string[] = ['unknown_function', 'device_unavailable', 'bad_request', 'invalid'];

function failureOf(letter: DeviceLetter, failure: { code: string; error: AuthorError }): ServiceError {
  const known = Object.hasOwn(errorCatalogue, failure.code);
  return new ServiceError(known ? (failure.code as ErrorCode) : 'device_error', failure.error.message, {
    effect: letter.query || notBegun.includes(failure.code) ? 'none' : 'maybe',
    ...(failure.error.stack === undefined ? {} : { authorStack: failure.error.stack }),
  });
}
