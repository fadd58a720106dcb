import type {
  CodeRuntime,
  DeviceStatus,
  FunctionKind,
  JsonObject,
  JsonValue,
  ServiceError,
  ToDevice,
} from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/ports';
import { briefArguments, keptArguments, type CallRecords } from '../ledger/index.js';
import type { AgentLimits } from '../ports/index.js';
import { CallErrors, errorOf, type CallFailure } from './call-errors.js';
import { Mailbox } from './mailbox.js';

/** The calls of one attempt. Attempts are named by their computer too, because another computer may name any attempt. */
export interface CallsOf {
  attemptId: string;
  /** Computer of the attempt; undefined: this one. */
  caller?: string | undefined;
}

/** A call whose arguments fit the declaration of its function, on its way to the process. */
export interface PostedCall {
  /** Unique for ever. */
  id: string;
  kind: FunctionKind;
  /** It runs beside an effect in progress, though it is no query. */
  beside?: boolean | undefined;
  name: string;
  message: ToDevice;
  /** For people: without secret values. */
  arguments: JsonObject;
  attemptId?: string | undefined;
  /** Computer of the attempt; absent: this one. */
  caller?: string | undefined;
  /** Person who calls. */
  by?: string | undefined;
  fence?: number | undefined;
  /** How long the caller waits for the call to begin, in milliseconds. */
  patienceMs: number;
  /** How long the call may take from its beginning, in milliseconds. */
  runMs: number;
  /** When it fires, a call that has not begun is withdrawn. */
  signal?: AbortSignal | undefined;
}

/** Whether the call is one of the calls of the attempt. */
export function isOf(
  call: Pick<PostedCall, 'attemptId' | 'caller'>,
  { attemptId, caller }: CallsOf,
): boolean {
  return call.attemptId === attemptId && call.caller === caller;
}

interface DeviceLetter {
  readonly id: string;
  readonly query: boolean;
  readonly beside: boolean;
  readonly call: PostedCall;
  readonly postedAt: number;
  /** Wall clock when it began, in milliseconds since 1970; 0: it has not begun. */
  begunAt: number;
  phase: 'waiting' | 'recording' | 'sent';
  /** How often it was sent; only a query is sent more than once. */
  tries: number;
  /** Cancels the deadline of its beginning or, once it has begun, of its end. */
  cancelTimer: () => void;
  /** Its time is over, and the process is being ended for that reason. */
  overdue: boolean;
  /** The caller has its answer. A later answer of the process is dropped. */
  settled: boolean;
  /** The error that the caller got, if the call failed. */
  error: ServiceError | undefined;
  settle(error: ServiceError | undefined, value?: JsonValue): void;
}

/** What the calls of a device need from the device. */
export interface CallsPorts {
  /** `<lab>.<device>`. */
  label: string;
  /** Content hash of the code of the device. */
  code: string;
  /** What executes that code; undefined: the process has not said. */
  runtime(): CodeRuntime | undefined;
  clock: Clock;
  wall: Clock;
  timers: Timers;
  records: CallRecords;
  log: Log;
  /** Whether there is a process that takes calls. */
  open(): boolean;
  send(message: ToDevice): void;
  /** Reports the name of an effect or idempotent call that begins; undefined: none is in progress any more. */
  busyWith(name: string | undefined): void;
  /** Ends the process because a call did not end in its time. */
  overdue(detail: string): void;
}

/** The calls that a process was executing when it ended. */
export interface LostCalls {
  /** The effect that was sent and not answered. Nobody knows whether it took effect. */
  interrupted: PostedCall | undefined;
  /** The call that exceeded its time, for people, if that is why the process was ended. */
  overdue: string | undefined;
  /**
   * Fails the calls that were in progress.
   *
   * @param again the device restarts by itself, so that queries may be repeated
   */
  settle(again: boolean): void;
}

/**
 * The calls of one device, from their arrival to their end.
 *
 * Guarantees: those of {@link Mailbox}. A call that may change something is sent to the process at most once, and only
 * after its record is durable. A call that was sent is settled only when the process has answered or is dead; the one
 * exception is a call beside an effect, such as a query, that exceeds its time. A call with the id of a present call joins that call.
 */
export class DeviceCalls {
  readonly #errors: CallErrors;
  readonly #mailbox: Mailbox<DeviceLetter>;
  readonly #here = new Map<string, Promise<JsonValue | undefined>>();
  /** Calls that are being recorded, or were recorded and will never be sent. */
  readonly #unsent = new Set<string>();

  constructor(
    private readonly ports: CallsPorts,
    private readonly limits: AgentLimits,
  ) {
    this.#errors = new CallErrors(ports.label);
    this.#mailbox = new Mailbox({ queries: limits.deviceQueries, capacity: limits.deviceMailbox });
  }

  /** Whether nothing but queries is in progress. */
  get quiet(): boolean {
    return this.#mailbox.effect === undefined;
  }

  /** The effect or idempotent call that the process executes at this moment. */
  get moving(): PostedCall | undefined {
    const letter = this.#mailbox.effect;
    return letter?.phase === 'sent' ? letter.call : undefined;
  }

  /** The effect or idempotent call in progress, for people. */
  get doing(): DeviceStatus['doing'] {
    const letter = this.#mailbox.effect;
    if (letter === undefined) return undefined;
    const { id, name, attemptId, arguments: given } = letter.call;
    return {
      call_id: id,
      function: name,
      arguments: briefArguments(given),
      since_ms: letter.begunAt,
      ...(attemptId === undefined ? {} : { attempt_id: attemptId }),
    };
  }

  /** Whether the process never received this call and never will. Such a call is not in doubt, whatever the records say. */
  neverSent(callId: string): boolean {
    return this.#unsent.has(callId);
  }

  /**
   * Takes a call. The promise settles when the call ends.
   *
   * @throws ServiceError `device_unavailable`, `aborted` and `service_unavailable` (effect none); `deadline_exceeded`,
   *   with effect none when the call did not begin in time; `device_error`
   */
  post(call: PostedCall): Promise<JsonValue | undefined> {
    const known = this.#here.get(call.id);
    if (known !== undefined) return known;
    if (call.signal?.aborted === true) return Promise.reject(this.#errors.withdrawn(call));
    const end = new Promise<JsonValue | undefined>((resolve, reject) => {
      const withdraw = (): void => this.#takeBack(letter, this.#errors.withdrawn(call));
      const letter: DeviceLetter = {
        id: call.id,
        query: call.kind === 'query',
        beside: call.kind === 'query' || call.beside === true,
        call,
        postedAt: this.ports.clock.now(),
        begunAt: 0,
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
    // A call that was refused at once has ended already, so no other call may join it.
    if (this.#mailbox.has(call.id)) this.#here.set(call.id, end);
    this.pump();
    return end;
  }

  /** Sends every call that may begin. */
  pump(): void {
    while (this.ports.open()) {
      const letter = this.#mailbox.next();
      if (letter === undefined) return;
      letter.begunAt = this.ports.wall.now();
      if (letter.query) {
        this.#send(letter);
      } else {
        if (!letter.beside) this.ports.busyWith(letter.call.name);
        void this.#recordThenSend(letter);
      }
    }
  }

  /** Takes the answer of the process. */
  answered(id: string, failure: CallFailure | undefined, value: JsonValue | undefined): void {
    const letter = this.#mailbox.running(id)?.phase === 'sent' ? this.#mailbox.finish(id) : undefined;
    if (letter === undefined) {
      this.ports.log.debug('an answer came after its call had ended', { call: id });
      return;
    }
    const error = failure === undefined ? undefined : errorOf(letter.call, failure);
    if (!letter.query) {
      this.#recordEnd(letter, error, value);
      if (!letter.beside) this.ports.busyWith(undefined);
    }
    letter.settle(error, value);
    this.pump();
  }

  /** Refuses all calls that have not been sent, with effect none. */
  refuseUnsent(why: string): void {
    this.#refuse(() => true, this.#errors.unavailable(why));
  }

  /** Refuses the calls of an attempt that have not been sent. */
  refuseOf(of: CallsOf, error: ServiceError): void {
    this.#refuse(({ call }) => isOf(call, of), error);
  }

  /** Refuses all calls that have not been sent, except queries. */
  refuseEffects(error: ServiceError): void {
    this.#refuse((letter) => !letter.query, error);
  }

  /**
   * Takes the end of the process. Refuses the waiting calls; `settle` of the result ends the calls in progress.
   *
   * @param how the process ended, for people
   */
  lost(how: string): LostCalls {
    this.refuseUnsent('lost its process');
    const running = this.#mailbox.drain().filter((letter) => letter.phase === 'sent');
    const overdue = running.find((letter) => letter.overdue);
    return {
      interrupted: running.find(({ call }) => call.kind === 'effect')?.call,
      overdue: overdue === undefined ? undefined : overdueText(overdue.call),
      settle: (again) => {
        for (const letter of running) {
          const error = letter.overdue
            ? this.#errors.overdue(letter.call)
            : this.#errors.processEnded(letter.call, how);
          if (letter.query && again && this.#repeat(letter)) continue;
          // The record of an effect stays without an end. That leaves the device in doubt.
          if (letter.call.kind === 'idempotent') this.#recordEnd(letter, error, undefined);
          letter.settle(error);
        }
      },
    };
  }

  #offer(letter: DeviceLetter): void {
    const { patienceMs } = letter.call;
    if (!this.#mailbox.offer(letter)) {
      letter.settle(this.#errors.unavailable(`has ${this.limits.deviceMailbox} calls waiting already`));
      return;
    }
    letter.phase = 'waiting';
    const left = letter.postedAt + patienceMs - this.ports.clock.now();
    letter.cancelTimer = this.ports.timers.after(left, () =>
      this.#takeBack(letter, this.#errors.notBegunInTime(letter.call)),
    );
  }

  async #recordThenSend(letter: DeviceLetter): Promise<void> {
    const { id, kind, name, attemptId, by, fence } = letter.call;
    if (kind === 'query') return;
    letter.phase = 'recording';
    this.#unsent.add(id);
    try {
      await this.ports.records.begin({
        callId: id,
        device: this.ports.label,
        function: name,
        kind,
        attemptId,
        fence,
        by,
        arguments: keptArguments(letter.call.arguments),
        atMs: letter.begunAt,
        code: this.ports.code,
        runtime: this.ports.runtime(),
      });
    } catch (error) {
      this.#unsent.delete(id);
      this.ports.log.error('a call could not be recorded, so it was not made', {
        function: name,
        reason: String(error),
      });
      this.#release(letter, this.#errors.unrecorded(letter.call, error));
      return;
    }
    if (letter.settled) {
      const error = letter.error ?? this.#errors.withdrawn(letter.call);
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
    letter.cancelTimer = this.ports.timers.after(letter.call.runMs, () => this.#overdue(letter));
    this.ports.send(letter.call.message);
  }

  /** Ends a call that was never sent, and frees the device for the next one if the call still occupied it. */
  #release(letter: DeviceLetter, error: ServiceError): void {
    letter.settle(error);
    if (this.#mailbox.finish(letter.id) === undefined) return;
    if (!letter.beside) this.ports.busyWith(undefined);
    this.pump();
  }

  /** Ends a call that has not been sent. While the call is being recorded, the device stays busy with it. */
  #takeBack(letter: DeviceLetter, error: ServiceError): void {
    if (letter.phase === 'sent') return;
    this.#mailbox.withdraw(letter);
    letter.settle(error);
  }

  #refuse(which: (letter: DeviceLetter) => boolean, error: ServiceError): void {
    for (const letter of this.#mailbox.all()) if (which(letter)) this.#takeBack(letter, error);
  }

  /** Repeats a query, which changes nothing, as long as its caller waits. @returns whether it was repeated */
  #repeat(letter: DeviceLetter): boolean {
    const { clock, log } = this.ports;
    if (letter.overdue || letter.tries > this.limits.deviceQueryRetries) return false;
    if (letter.call.signal?.aborted === true) return false;
    if (clock.now() >= letter.postedAt + letter.call.patienceMs) return false;
    log.debug('a query is repeated', { function: letter.call.name });
    letter.cancelTimer();
    this.#offer(letter);
    return true;
  }

  #recordEnd(letter: DeviceLetter, error: ServiceError | undefined, value: JsonValue | undefined): void {
    this.ports.records.end(
      letter.id,
      error === undefined
        ? { kind: 'returned', value }
        : { kind: 'failed', code: error.code, message: error.message, effect: error.effect },
    );
  }

  #overdue(letter: DeviceLetter): void {
    letter.overdue = true;
    if (letter.beside && !this.quiet) {
      const error = this.#errors.overdue(letter.call);
      this.#mailbox.finish(letter.id);
      if (!letter.query) this.#recordEnd(letter, error, undefined);
      letter.settle(error);
      this.pump();
      return;
    }
    this.ports.log.error('a call did not end in time; ending the process of the device', {
      function: letter.call.name,
      deadline_ms: letter.call.runMs,
    });
    this.ports.overdue(overdueText(letter.call));
  }
}

function overdueText({ name, runMs }: PostedCall): string {
  return `${name} did not end within ${runMs / 1000} s`;
}
