import {
  callFreshMs,
  deviceAnswerMs,
  deviceTimeoutMs,
  maskedArguments,
  ServiceError,
  toServiceError,
  type DeviceBinding,
  type FromTask,
  type JsonValue,
  type TaskStart,
  type ToTask,
} from '@lab/contracts';
import type { Timers } from '@lab/ports';
import type { Devices } from '../devices/index.js';
import { keptArguments, type CallEnding, type CallLedger } from '../ledger/index.js';
import { Unanswered, type AgentLog, type OtherAgent, type Peers } from '../ports/index.js';
import { OpenCalls } from './open-calls.js';

export type TaskCall = Extract<FromTask, { type: 'call' }>;

export interface AttemptCallsPorts {
  /** Name of this computer. */
  computer: string;
  timers: Timers;
  devices: Devices;
  peers: Peers;
  calls: CallLedger;
}

/** The device calls of one attempt, on this computer and on others. */
export class AttemptDeviceCalls {
  readonly #open = new OpenCalls();
  /** Other computers whose devices were called. */
  readonly #called = new Set<string>();

  constructor(
    private readonly start: TaskStart,
    private readonly ports: AttemptCallsPorts,
    private readonly log: AgentLog,
  ) {}

  /**
   * Makes a call and passes its end on to the task process.
   *
   * @param withdrawn when it fires, a call on this computer that has not begun is withdrawn
   */
  async make(message: TaskCall, answer: (message: ToTask) => void, withdrawn: AbortSignal): Promise<void> {
    const { call_id } = message;
    try {
      const value = await this.#route(message, withdrawn);
      answer({ type: 'call_result', call_id, ...(value === undefined ? {} : { value }) });
    } catch (thrown) {
      const { code, message: text, authorStack: stack } = toServiceError(thrown);
      const error = { message: text, ...(stack === undefined ? {} : { stack }) };
      answer({ type: 'call_failure', call_id, code, error });
    }
  }

  /** Resolves when no call of the attempt is in progress. */
  none(): Promise<void> {
    return this.#open.none();
  }

  /** Stops the calls of the attempt on every computer. A call that cannot be stopped goes on to its end. */
  stop(reason: string): void {
    const { computer: here, devices, peers } = this.ports;
    const id = this.start.attempt_id;
    devices.stopCallsOf({ attemptId: id }, reason);
    for (const { computer, inc } of othersOf(this.start, here)) {
      peers.barCalls({ computer, inc }, id, reason).catch((error: unknown) => {
        this.log.info('calls on another computer could not be stopped', { computer, reason: String(error) });
      });
    }
  }

  /**
   * Tells the devices that the attempt is over. If the agent of another computer does not hear it, its devices learn it from the calls of
   * the next task.
   */
  release(): void {
    const { computer: here, devices, peers } = this.ports;
    const id = this.start.attempt_id;
    devices.releaseFrom({ attemptId: id });
    for (const { computer, inc } of othersOf(this.start, here)) {
      if (!this.#called.has(computer)) continue;
      peers.barCalls({ computer, inc }, id, 'the task has ended').catch((error: unknown) => {
        this.log.debug('another computer was not told the end of the task', {
          computer,
          reason: String(error),
        });
      });
    }
  }

  #route(message: TaskCall, withdrawn: AbortSignal): Promise<JsonValue | undefined> {
    if (withdrawn.aborted) throw new ServiceError('aborted', 'the task is being stopped');
    const binding = this.start.devices[message.slot];
    if (binding === undefined) {
      const slots = Object.keys(this.start.devices).join(', ') || 'none';
      throw new ServiceError('unknown_device', `the task has no device '${message.slot}'; it has: ${slots}`);
    }
    return binding.computer === this.ports.computer
      ? this.#callHere(binding, message, withdrawn)
      : this.#callThere(binding, message);
  }

  async #callHere(
    { lab, name, fence }: DeviceBinding,
    message: TaskCall,
    signal: AbortSignal,
  ): Promise<JsonValue | undefined> {
    this.#open.begin();
    try {
      return await this.ports.devices.call({ lab, name }, { ...this.#callOf(message, fence), signal }, fence);
    } finally {
      this.#open.end();
    }
  }

  /**
   * Calls a device of another computer. If no answer comes, the call counts as in progress until the other agent must have
   * ended it: the call may have begun as late as this caller waited, and takes its whole time from there.
   */
  async #callThere(
    { computer, inc, lab, name, fence, grant, functions = [] }: DeviceBinding,
    message: TaskCall,
  ): Promise<JsonValue | undefined> {
    const { calls, peers, timers } = this.ports;
    this.#called.add(computer);
    const call = this.#callOf(message, fence);
    const { callId, attemptId } = call;
    const declared = functions.find((each) => each.name === message.function);
    const kind = declared?.kind ?? 'effect';
    const runMs = deviceTimeoutMs(declared);
    const answered = (ending: CallEnding): void => {
      if (kind !== 'query') calls.answered(callId, ending);
    };
    this.#open.begin();
    const over = new Deadline(timers, restMsOf(runMs));
    let agentEnded = false;
    try {
      if (kind !== 'query') {
        calls.sent({
          callId,
          device: `${lab}.${name}`,
          function: message.function,
          kind,
          attemptId,
          computer,
          arguments: keptArguments(maskedArguments(declared, message.arguments)),
        });
      }
      const value = await peers.call(
        { computer, inc, lab, name },
        { ...call, grant },
        runMs + deviceAnswerMs,
      );
      answered({ kind: 'returned' });
      over.end();
      return value;
    } catch (thrown) {
      if (thrown instanceof Unanswered) {
        agentEnded = thrown.over;
        if (thrown.over) over.end();
        throw thrown;
      }
      const { code, message: text, effect } = toServiceError(thrown);
      answered({ kind: 'failed', code, message: text, effect });
      over.end();
      throw thrown;
    } finally {
      over.whenOver(() => {
        // A living agent has ended the call by now or reports the device in doubt. An agent that died reports nothing.
        if (!agentEnded) calls.overElsewhere(callId);
        this.#open.end();
      });
    }
  }

  /** The call id is unique for ever, because the task process counts its calls. */
  #callOf(message: TaskCall, fence: number) {
    const attemptId = this.start.attempt_id;
    return {
      callId: `${attemptId}/${message.call_id}`,
      attemptId,
      fence,
      function: message.function,
      arguments: message.arguments,
    };
  }
}

/** Finds the other agents that run devices of an attempt. */
export function othersOf(start: TaskStart, here: string): OtherAgent[] {
  const others = new Map<string, OtherAgent>();
  for (const { computer, inc, functions = [] } of Object.values(start.devices)) {
    if (computer === here) continue;
    const longest = Math.max(deviceTimeoutMs(undefined), ...functions.map(deviceTimeoutMs));
    const restMs = Math.max(restMsOf(longest), others.get(computer)?.restMs ?? 0);
    others.set(computer, { computer, inc, restMs });
  }
  return [...others.values()];
}

/**
 * The time after which a call to another computer is over in any case: it may travel for a while, begins at the latest when
 * its caller gives up, and takes its whole time from there.
 *
 * @param runMs how long the function may take, in milliseconds
 * @returns milliseconds from the moment the call is sent
 */
function restMsOf(runMs: number): number {
  return callFreshMs + runMs + deviceAnswerMs + runMs + deviceAnswerMs;
}

/** A moment that comes at a set time, or earlier by {@link end}. */
class Deadline {
  #over = false;
  #listener: () => void = () => undefined;
  readonly #cancel: () => void;

  constructor(timers: Timers, ms: number) {
    this.#cancel = timers.after(ms, () => this.end());
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    this.#listener();
  }

  /** Calls the listener once: when the moment comes, or now if it has passed. */
  whenOver(listener: () => void): void {
    if (this.#over) listener();
    else this.#listener = listener;
  }
}
