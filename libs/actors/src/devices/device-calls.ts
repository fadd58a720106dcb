import {
  errorCatalogue,
  isServiceError,
  ServiceError,
  toServiceError,
  type AuthorError,
  type ErrorCode,
  type FunctionKind,
  type JsonValue,
  type ToDevice,
} from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import type { CallRecords } from '../ledger/index.js';
import type { AgentLimits, AgentLog } from '../ports/index.js';
import { Mailbox } from './mailbox.js';

/** A call that was found right, on its way to the process. */
export interface PostedCall {
  /** Unique for ever. */
  id: string;
  kind: FunctionKind;
  name: string;
  message: ToDevice;
  attemptId?: string | undefined;
  fence?: number | undefined;
  /** How long the caller waits for the call to begin, in milliseconds. */
  patienceMs: number;
  /** From its begin, in milliseconds. */
  runMs: number;
  /** Fired: the call is withdrawn if it has not begun. */
  signal?: AbortSignal | undefined;
}

interface DeviceLetter {
  readonly id: string;
  readonly query: boolean;
  readonly call: PostedCall;
  readonly postedAt: number;
  phase: 'waiting' | 'recording' | 'sent';
  /** Times that it was sent; more than once for queries only. */
  tries: number;
  /** Of the time to begin, and once it has begun, of the time to end. */
  cancelTimer: () => void;
  /** Its time is over, and the process is being ended for it. */
  overdue: boolean;
  /** It is settled: what comes after that is dropped. */
  settled: boolean;
  /** With what it was settled, if it failed. */
  error: ServiceError | undefined;
  settle(error: ServiceError | undefined, value?: JsonValue): void;
}

/** What the calls of a device ask of the device. */
export interface CallsPorts {
  /** `<lab>.<device>`. */
  label: string;
  clock: Clock;
  timers: Timers;
  records: CallRecords;
  log: AgentLog;
  /** Is there a process that takes calls? */
  open(): boolean;
  send(message: ToDevice): void;
  /** A call other than a query began, by its name; or undefined: none is in progress any more. */
  busyWith(name: string | undefined): void;
  /** A call did not end in its time: the process must be ended. */
  overdue(detail: string): void;
}

/** What a process that ended was in the middle of. */
export interface LostCalls {
  /** The effect that had been sent and was not answered: whether it took effect is not known. */
  interrupted: PostedCall | undefined;
  /** What outlived its time, if that is why the process was ended. */
  overdue: string | undefined;
  /**
   * Fails the calls that were in progress.
   *
   * @param again the device comes back by itself, so that queries may be asked again
   */
  settle(again: boolean): void;
}

/**
 * The calls of one device, from their arrival to their end.
 *
 * Guarantees: those of {@link Mailbox}; a call that may change something is sent to the process at most once, and only
 * after it is durable that it may act; one that was sent is settled only when it was answered or the process is dead, but
 * for a query that outlives its time beside an effect; an id that is here already joins the call that has it.
 */
export class DeviceCalls {
  readonly #ports: CallsPorts;
  readonly #limits: AgentLimits;
  readonly #mailbox: Mailbox<DeviceLetter>;
  readonly #here = new Map<string, Promise<JsonValue | undefined>>();
  /** Calls that are or were being recorded and will never be sent. */
  readonly #unsent = new Set<string>();

  constructor(ports: CallsPorts, limits: AgentLimits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#mailbox = new Mailbox({ queries: limits.deviceQueries, capacity: limits.deviceMailbox });
  }

  /** Nothing but queries is in progress. */
  get quiet(): boolean {
    return this.#mailbox.effect === undefined;
  }

  /** The call other than a query that the process has at this moment. */
  get moving(): PostedCall | undefined {
    const letter = this.#mailbox.effect;
    return letter?.phase === 'sent' ? letter.call : undefined;
  }

  /** The process has never heard of this call, and never will: it is not in doubt, whatever the records say. */
  neverSent(callId: string): boolean {
    return this.#unsent.has(callId);
  }

  /**
   * Takes a call in; resolves or rejects with its end.
   *
   * @throws ServiceError `device_unavailable`, `aborted` and `service_unavailable` (effect none); `deadline_exceeded`,
   *   with effect none when it did not begin in time; `device_error`
   */
  post(call: PostedCall): Promise<JsonValue | undefined> {
    const known = this.#here.get(call.id);
    if (known !== undefined) return known;
    if (call.signal?.aborted === true) return Promise.reject(this.#withdrawn(call));
    const end = new Promise<JsonValue | undefined>((resolve, reject) => {
      const withdraw = (): void => this.#takeBack(letter, this.#withdrawn(call));
      const letter: DeviceLetter = {
        id: call.id,
        query: call.kind === 'query',
        call,
        postedAt: this.#ports.clock.now(),
        phase: 'waiting',
        tries: 0,
        cancelTimer: () => undefined,
        overdue: false,
        settled: false,
        error: undefined,
        settle: (error, value) => {
          if (letter.settled) return;
          letter.settled = true;
          letter.error = error;
          letter.cancelTimer();
          this.#here.delete(call.id);
          call.signal?.removeEventListener('abort', withdraw);
          if (error === undefined) resolve(value);
          else reject(error);
        },
      };
      call.signal?.addEventListener('abort', withdraw);
      this.#offer(letter);
    });
    // One that is refused at once is settled before it could be joined.
    if (this.#mailbox.has(call.id)) this.#here.set(call.id, end);
    this.pump();
    return end;
  }

  /** Sends what may begin. */
  pump(): void {
    while (this.#ports.open()) {
      const letter = this.#mailbox.next();
      if (letter === undefined) return;
      if (letter.query) {
        this.#send(letter);
      } else {
        this.#ports.busyWith(letter.call.name);
        void this.#recordThenSend(letter);
      }
    }
  }

  /** The process answered. */
  answered(
    id: string,
    failure: { code: string; error: AuthorError } | undefined,
    value: JsonValue | undefined,
  ): void {
    const letter = this.#mailbox.running(id)?.phase === 'sent' ? this.#mailbox.finish(id) : undefined;
    if (letter === undefined) {
      this.#ports.log.debug('an answer came after its call was given up', { call: id });
      return;
    }
    const error = failure === undefined ? undefined : failureOf(letter, failure);
    if (!letter.query) {
      this.#recordEnd(letter, error, value);
      this.#ports.busyWith(undefined);
    }
    letter.settle(error, value);
    this.pump();
  }

  /** Refuses what has not been sent, with effect none. */
  refuseUnsent(why: string): void {
    this.#refuse(() => true, this.#unavailable(why));
  }

  /** Refuses what has not been sent of an attempt. */
  refuseOf(attemptId: string, error: ServiceError): void {
    this.#refuse(({ call }) => call.attemptId === attemptId, error);
  }

  /** Refuses what has not been sent and may change something; queries stay. */
  refuseEffects(error: ServiceError): void {
    this.#refuse((letter) => !letter.query, error);
  }

  /**
   * The process is dead. What waited is refused; what was in progress is settled by the answer's `settle`.
   *
   * @param how it ended, for people
   */
  lost(how: string): LostCalls {
    this.refuseUnsent('lost its process');
    const running = this.#mailbox.drain().filter((letter) => letter.phase === 'sent');
    const overdue = running.find((letter) => letter.overdue);
    return {
      interrupted: running.find(({ call }) => call.kind === 'effect')?.call,
      overdue: overdue === undefined ? undefined : overdueText(overdue),
      settle: (again) => {
        for (const letter of running) {
          const error = this.#lossOf(letter, how);
          if (letter.query && again && this.#askAgain(letter)) continue;
          // Of an effect the end is left open: that is what is in doubt.
          if (letter.call.kind === 'idempotent') this.#recordEnd(letter, error, undefined);
          letter.settle(error);
        }
      },
    };
  }

  #offer(letter: DeviceLetter): void {
    const { patienceMs } = letter.call;
    if (!this.#mailbox.offer(letter)) {
      letter.settle(this.#unavailable(`has ${this.#limits.deviceMailbox} calls waiting already`));
      return;
    }
    letter.phase = 'waiting';
    const left = letter.postedAt + patienceMs - this.#ports.clock.now();
    letter.cancelTimer = this.#ports.timers.after(left, () =>
      this.#takeBack(
        letter,
        new ServiceError(
          'deadline_exceeded',
          `${this.#what(letter)} did not begin within ${patienceMs / 1000} s`,
        ),
      ),
    );
  }

  async #recordThenSend(letter: DeviceLetter): Promise<void> {
    const { id, kind, name, attemptId, fence } = letter.call;
    if (kind === 'query') return;
    letter.phase = 'recording';
    this.#unsent.add(id);
    try {
      await this.#ports.records.begin({
        callId: id,
        device: this.#ports.label,
        function: name,
        kind,
        attemptId,
        fence,
      });
    } catch (error) {
      this.#unsent.delete(id);
      this.#ports.log.error('a call could not be recorded, so it is not made', {
        function: name,
        reason: String(error),
      });
      this.#release(letter, unrecorded(this.#what(letter), error));
      return;
    }
    if (letter.settled) {
      const error = letter.error ?? this.#withdrawn(letter.call);
      this.#recordEnd(letter, error, undefined);
      this.#unsent.delete(id);
      this.#release(letter, error);
      return;
    }
    this.#unsent.delete(id);
    this.#send(letter);
  }

  #send(letter: DeviceLetter): void {
    letter.phase = 'sent';
    letter.tries += 1;
    letter.cancelTimer();
    letter.cancelTimer = this.#ports.timers.after(letter.call.runMs, () => this.#overdue(letter));
    this.#ports.send(letter.call.message);
  }

  /** It was never sent: the device is free for the next one, if it was still waiting for this. */
  #release(letter: DeviceLetter, error: ServiceError): void {
    letter.settle(error);
    if (this.#mailbox.finish(letter.id) === undefined) return;
    this.#ports.busyWith(undefined);
    this.pump();
  }

  /** Settles a call that has not been sent. While it is being recorded the device stays busy with it. */
  #takeBack(letter: DeviceLetter, error: ServiceError): void {
    if (letter.phase === 'sent') return;
    this.#mailbox.withdraw(letter);
    letter.settle(error);
  }

  #refuse(which: (letter: DeviceLetter) => boolean, error: ServiceError): void {
    for (const letter of this.#mailbox.all()) if (which(letter)) this.#takeBack(letter, error);
  }

  /** A query changes nothing, so a machine may ask it again; within the patience of its caller. */
  #askAgain(letter: DeviceLetter): boolean {
    const { clock, log } = this.#ports;
    if (letter.overdue || letter.tries > this.#limits.deviceQueryRetries) return false;
    if (letter.call.signal?.aborted === true) return false;
    if (clock.now() >= letter.postedAt + letter.call.patienceMs) return false;
    log.debug('a query is asked again', { function: letter.call.name });
    letter.cancelTimer();
    this.#offer(letter);
    return true;
  }

  #recordEnd(letter: DeviceLetter, error: ServiceError | undefined, value: JsonValue | undefined): void {
    this.#ports.records.end(
      letter.id,
      error === undefined
        ? { kind: 'returned', value }
        : { kind: 'failed', code: error.code, message: error.message, effect: error.effect },
    );
  }

  #lossOf(letter: DeviceLetter, how: string): ServiceError {
    if (letter.overdue) return this.#overdueError(letter);
    return new ServiceError(
      'device_error',
      `the process of device ${this.#ports.label} ended during ${letter.call.name} (${how})`,
      { effect: letter.query ? 'none' : 'maybe' },
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
      function: letter.call.name,
      deadline_ms: letter.call.runMs,
    });
    this.#ports.overdue(overdueText(letter));
  }

  #overdueError(letter: DeviceLetter): ServiceError {
    return new ServiceError(
      'deadline_exceeded',
      `${this.#what(letter)} did not end within ${letter.call.runMs / 1000} s`,
      { effect: letter.query ? 'none' : 'maybe' },
    );
  }

  #withdrawn({ name }: PostedCall): ServiceError {
    return new ServiceError(
      'aborted',
      `${name} of device ${this.#ports.label} was withdrawn before it began`,
    );
  }

  #unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `device ${this.#ports.label} ${why}`);
  }

  #what({ call }: DeviceLetter): string {
    return `${call.name} of device ${this.#ports.label}`;
  }
}

function overdueText({ call }: DeviceLetter): string {
  return `${call.name} did not end within ${call.runMs / 1000} s`;
}

function unrecorded(what: string, error: unknown): ServiceError {
  // What the records know of this very call is theirs to say: it may have been made before.
  if (isServiceError(error)) return error;
  const { message } = toServiceError(error);
  return new ServiceError(
    'service_unavailable',
    `${what} was not begun, because it could not be recorded: ${message}`,
    { cause: error },
  );
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
