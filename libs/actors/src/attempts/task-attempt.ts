import {
  callFreshMs,
  deviceAnswerMs,
  deviceTimeoutMs,
  ServiceError,
  toServiceError,
  type AttemptOutcome,
  type AttemptStatus,
  type DeviceBinding,
  type FromTask,
  type JsonValue,
  type LocalFile,
  type TaskStart,
} from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import type { Devices } from '../devices/index.js';
import type { CallEnding, CallLedger, Ledger } from '../ledger/index.js';
import {
  describeExit,
  Unanswered,
  type AgentLog,
  type Files,
  type Modules,
  type OtherAgent,
  type Peers,
  type ProcessExit,
  type SpooledFile,
} from '../ports/index.js';
import { OpenCalls } from './open-calls.js';
import type { Lease, ProcessPool } from './process-pool.js';

export interface AttemptPorts {
  computer: string;
  clock: Clock;
  timers: Timers;
  log: AgentLog;
  ledger: Ledger;
  modules: Modules;
  files: Files;
  peers: Peers;
  calls: CallLedger;
  /** How long the driver of a device in doubt may take to settle it before the attempt ends, in milliseconds. */
  doubtMs: number;
  devices: Devices;
  pool: ProcessPool;
}

export interface Ladder {
  termMs: number;
  killMs: number;
}

/** How an attempt ended in its process, before its files are stored. */
export interface Ending {
  outcome: AttemptOutcome;
  files: SpooledFile[];
}

type Call = Extract<FromTask, { type: 'call' }>;
type Report = Exclude<FromTask, { type: 'call' | 'log' | 'waiting' }>;

/** Puts the files that the task gets into its folder; undefined: it gets none. */
type PlaceFiles = (log: AgentLog, signal: AbortSignal) => Promise<Record<string, LocalFile> | undefined>;

interface Prepared {
  lease: Lease;
  /** Of the module file. */
  path: string;
  spool: string;
  files: Record<string, LocalFile> | undefined;
}
type ProcessEnd = { report: Report } | { exit: ProcessExit };

/**
 * One execution of a task, from acceptance to the end of its process.
 *
 * Guarantees: the process is told to run at most once, and only after ACCEPT and BEGIN are durable; `run` resolves only
 * when the process is done with the task or dead, and no device call of the attempt is in progress. An attempt that did
 * not complete has failed or was cancelled only when its devices are known to stand still; else it is unknown.
 */
export class TaskAttempt {
  readonly start: TaskStart;
  readonly log: AgentLog;
  readonly #ports: AttemptPorts;
  readonly #placeFiles: PlaceFiles;
  readonly #open = new OpenCalls();
  readonly #withdraw = new AbortController();
  #phase: 'accepted' | 'running' | 'over' = 'accepted';
  #cancelled: { reason: string; byAgent: boolean } | undefined;
  #lease: Lease | undefined;
  #cancelLadder: () => void = () => undefined;
  #endDoubtWait: () => void = () => undefined;

  constructor(start: TaskStart, ports: AttemptPorts, placeFiles: PlaceFiles) {
    this.start = start;
    this.#ports = ports;
    this.#placeFiles = placeFiles;
    this.log = ports.log.child({ task: start.label, attempt: start.attempt_id });
  }

  get status(): AttemptStatus {
    if (this.#cancelled !== undefined) return 'cancelling';
    return this.#phase === 'accepted' ? 'accepted' : 'running';
  }

  /** @param accepted resolves when ACCEPT is durable; its rejection is this method's */
  async run(accepted: Promise<void>): Promise<Ending> {
    let prepared: Prepared | undefined;
    try {
      prepared = await this.#prepare(accepted);
      if (prepared === undefined) return this.#ending(this.#stoppedOutcome());
      return await this.#execute(prepared);
    } finally {
      this.#phase = 'over';
      this.#cancelLadder();
      this.#lease = undefined;
      // A process fit to be reused has been given back already, and then this does nothing.
      prepared?.lease.release({ reuse: false });
    }
  }

  /**
   * Asks the attempt to stop: abort signal and `_stop` of the devices that it moves at once, SIGTERM and SIGKILL
   * later. Asking again may only shorten the times.
   *
   * @param byAgent the agent stops, nobody cancelled the task
   */
  cancel(reason: string, ladder: Ladder, byAgent = false): void {
    if (byAgent) this.#endDoubtWait();
    if (this.#phase === 'over') return;
    const first = this.#cancelled === undefined;
    if (first || !byAgent) this.#cancelled = { reason, byAgent };
    if (first) this.log.info('stopping the task', { reason });
    this.#withdraw.abort();
    const process = this.#lease?.process;
    if (process === undefined) return;
    if (first) {
      process.send({ type: 'abort', reason });
      this.#stopCalls(reason);
    }
    if (first || byAgent) this.#climb(ladder);
  }

  /** Stops what devices are doing for the attempt, wherever they are; what cannot be stopped is waited for. */
  #stopCalls(reason: string): void {
    const { computer: here, devices, peers } = this.#ports;
    const id = this.start.attempt_id;
    devices.stopCallsOf(id, reason);
    const others = Object.values(this.start.devices).filter(({ computer }) => computer !== here);
    for (const [computer, { inc }] of new Map(others.map((device) => [device.computer, device]))) {
      peers.barCalls({ computer, inc }, id, reason).catch((error: unknown) => {
        this.log.info('calls on another computer could not be stopped', { computer, reason: String(error) });
      });
    }
  }

  /** Everything that the run needs, with BEGIN durable; undefined when the attempt was cancelled meanwhile. */
  async #prepare(accepted: Promise<void>): Promise<Prepared | undefined> {
    const { modules, files, ledger, pool } = this.#ports;
    const { attempt_id: attemptId, module, isolation } = this.start;
    const withdrawn = this.#withdraw.signal;
    const code = orAborted(modules.path(module), withdrawn);
    const folder = files.prepare(attemptId);
    // One that is refused fetches nothing.
    const inputs = Promise.all([folder, accepted]).then(() => this.#placeFiles(this.log, withdrawn));
    const [taken, path, spool, given, acceptance] = await Promise.allSettled([
      // Not before code and files are there: that may take minutes, and processes are few.
      Promise.all(this.start.files === undefined ? [code] : [code, inputs]).then(() =>
        pool.take(isolation, withdrawn),
      ),
      code,
      folder,
      inputs,
      accepted,
    ]);
    const lease = taken.status === 'fulfilled' ? taken.value : undefined;
    try {
      if (acceptance.status === 'rejected') throw acceptance.reason;
      if (this.#cancelled !== undefined) {
        lease?.release({ reuse: false });
        return undefined;
      }
      if (path.status === 'rejected') throw path.reason;
      if (spool.status === 'rejected') throw spool.reason;
      if (given.status === 'rejected') throw given.reason;
      if (lease === undefined) throw taken.status === 'rejected' ? taken.reason : undefined;
      await ledger.append({ type: 'begin', attemptId });
      return { lease, path: path.value, spool: spool.value, files: given.value };
    } catch (error) {
      lease?.release({ reuse: false });
      throw new NeverBegan(error);
    }
  }

  async #execute({ lease, path, spool, files }: Prepared): Promise<Ending> {
    const process = lease.process;
    const ended = new Promise<ProcessEnd>((resolve) => {
      lease.listen({
        message: (message) => {
          if (message.type === 'log') this.log[message.level](message.text, { source: 'task' });
          else if (message.type === 'call') this.#call(message);
          else if (message.type !== 'waiting') resolve({ report: message });
        },
        exit: (exit) => resolve({ exit }),
      });
    });
    this.#phase = 'running';
    this.#lease = lease;
    if (this.#cancelled !== undefined) {
      // Cancelled while BEGIN was being written: the process has not heard of the task.
      return this.#ending(this.#stoppedOutcome());
    }
    process.send({
      type: 'run',
      attempt_id: this.start.attempt_id,
      label: this.start.label,
      module: this.start.module,
      path,
      devices: this.#handles(),
      parameters: this.start.parameters,
      resources: this.start.resources,
      spool,
      ...(files === undefined ? {} : { files }),
    });
    const end = await ended;
    this.#phase = 'over';
    this.#cancelLadder();
    this.#withdraw.abort();
    await this.#open.none();
    if (!('report' in end) || end.report.type !== 'completed') await this.#devicesSettled();
    const ending = this.#endingOf(end);
    const healthy = 'report' in end && end.report.type === 'completed' && this.#cancelled === undefined;
    lease.release({ reuse: healthy && this.start.isolation === 'reusable' });
    return ending;
  }

  #handles(): Record<string, { lab: string; name: string; functions: ReturnType<Devices['functions']> }> {
    return Object.fromEntries(
      Object.entries(this.start.devices).map(([slot, { lab, name, computer, functions = [] }]) => {
        const local = computer === this.#ports.computer;
        const told = functions.length === 0 ? null : functions;
        return [slot, { lab, name, functions: local ? this.#ports.devices.functions({ lab, name }) : told }];
      }),
    );
  }

  #climb(ladder: Ladder): void {
    const { timers } = this.#ports;
    this.#cancelLadder();
    const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => {
      this.log.warn('the task does not stop by itself', { signal });
      this.#lease?.process.kill(signal);
    };
    const cancelTerm = timers.after(ladder.termMs, () => kill('SIGTERM'));
    const cancelKill = timers.after(ladder.killMs, () => kill('SIGKILL'));
    this.#cancelLadder = () => {
      cancelTerm();
      cancelKill();
    };
  }

  #call(message: Call): void {
    const process = this.#lease?.process;
    this.#route(message).then(
      (value) => {
        process?.send({
          type: 'call_result',
          call_id: message.call_id,
          ...(value === undefined ? {} : { value }),
        });
      },
      (thrown: unknown) => {
        const error = toServiceError(thrown);
        process?.send({
          type: 'call_failure',
          call_id: message.call_id,
          code: error.code,
          error: {
            message: error.message,
            ...(error.authorStack === undefined ? {} : { stack: error.authorStack }),
          },
        });
      },
    );
  }

  async #route(message: Call): Promise<JsonValue | undefined> {
    if (this.#phase !== 'running' || this.#withdraw.signal.aborted) {
      throw new ServiceError('aborted', 'the task is being stopped');
    }
    const binding = this.start.devices[message.slot];
    if (binding === undefined) {
      const slots = Object.keys(this.start.devices).join(', ') || 'none';
      throw new ServiceError('unknown_device', `the task has no device '${message.slot}'; it has: ${slots}`);
    }
    return binding.computer === this.#ports.computer
      ? this.#callHere(binding, message)
      : this.#callThere(binding, message);
  }

  async #callHere({ lab, name, fence }: DeviceBinding, message: Call): Promise<JsonValue | undefined> {
    const call = {
      callId: this.#callId(message),
      attemptId: this.start.attempt_id,
      fence,
      function: message.function,
      arguments: message.arguments,
      signal: this.#withdraw.signal,
    };
    this.#open.begin();
    try {
      return await this.#ports.devices.call({ lab, name }, call, fence);
    } finally {
      this.#open.end();
    }
  }

  /**
   * Without an answer the call counts as in progress until the agent that runs the device must have ended it: it may
   * have begun as late as the caller waited, and takes its whole time from there.
   */
  async #callThere(
    { computer, inc, lab, name, fence, functions = [] }: DeviceBinding,
    message: Call,
  ): Promise<JsonValue | undefined> {
    const { calls, peers, timers } = this.#ports;
    const attemptId = this.start.attempt_id;
    const callId = this.#callId(message);
    const declared = functions.find((each) => each.name === message.function);
    const kind = declared?.kind ?? 'effect';
    const call = { callId, function: message.function, arguments: message.arguments, attemptId, fence };
    const runMs = deviceTimeoutMs(declared);
    const waitMs = runMs + deviceAnswerMs;
    const answered = (ending: CallEnding): void => {
      if (kind !== 'query') calls.answered(callId, ending);
    };
    this.#open.begin();
    const inDoubt = new Deadline(timers, restMsOf(runMs));
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
        });
      }
      const value = await peers.call({ computer, inc, lab, name }, call, waitMs);
      answered({ kind: 'returned' });
      inDoubt.end();
      return value;
    } catch (thrown) {
      if (thrown instanceof Unanswered) {
        agentEnded = thrown.over;
        if (thrown.over) inDoubt.end();
        throw thrown;
      }
      const { code, message: text, effect } = toServiceError(thrown);
      answered({ kind: 'failed', code, message: text, effect });
      inDoubt.end();
      throw thrown;
    } finally {
      inDoubt.whenOver(() => {
        // Its agent has ended it by now, or says that the device is in doubt; one that died in the middle says nothing.
        if (!agentEnded) calls.overElsewhere(callId);
        this.#open.end();
      });
    }
  }

  /** Unique for ever: the process counts its calls. */
  #callId({ call_id: callId }: Call): string {
    return `${this.start.attempt_id}/${callId}`;
  }

  #endingOf(end: ProcessEnd): Ending {
    if ('exit' in end) {
      if (this.#cancelled !== undefined) return this.#ending(this.#stoppedOutcome());
      const message = `the task process ended before the task did (${describeExit(end.exit)})`;
      return this.#ending(
        this.#unlessInDoubt({ kind: 'failed', code: 'task_process_died', error: { message } }),
      );
    }
    const { report } = end;
    if (report.type === 'failed') {
      if (this.#cancelled !== undefined) return this.#ending(this.#stoppedOutcome());
      const { code, error } = report;
      return this.#ending(this.#unlessInDoubt({ kind: 'failed', code, error }));
    }
    const files = report.files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
    const { output_parameters, output_resources } = report;
    return {
      outcome: { kind: 'completed', output_parameters, output_resources, files },
      files: report.files,
    };
  }

  #stoppedOutcome(): AttemptOutcome {
    if (this.#cancelled?.byAgent !== true) return this.#unlessInDoubt({ kind: 'cancelled' });
    const message = `the agent stopped the task: ${this.#cancelled.reason}`;
    return this.#unlessInDoubt({ kind: 'failed', code: 'agent_stopped', error: { message } });
  }

  /** The driver of a device that died in the middle of an effect may soon find out that it stands still. */
  async #devicesSettled(): Promise<void> {
    const { calls, timers, doubtMs } = this.#ports;
    const id = this.start.attempt_id;
    if (this.#cancelled?.byAgent === true) return;
    await new Promise<void>((resolve) => {
      const cancelLate = timers.after(doubtMs, resolve);
      const stopWaiting = calls.whenSettled(id, resolve);
      this.#endDoubtWait = () => {
        cancelLate();
        stopWaiting();
        resolve();
      };
    });
    this.#endDoubtWait();
  }

  /** Unknown when a device may still be moving for it: its allocation must not go to others then. */
  #unlessInDoubt(outcome: Exclude<AttemptOutcome, { kind: 'completed' | 'unknown' }>): AttemptOutcome {
    const call = this.#ports.calls.doubtOf(this.start.attempt_id);
    if (call === undefined) return outcome;
    const how = outcome.kind === 'failed' ? outcome.error.message : 'the task was cancelled';
    const detail = `${how}; whether ${call.function} of device ${call.device} took effect is not known`;
    return { kind: 'unknown', detail };
  }

  #ending(outcome: AttemptOutcome): Ending {
    return { outcome, files: [] };
  }
}

/** The other agents that have devices of an attempt. */
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
 * How long after it was sent a call to another computer is over in any case, in milliseconds: it may be on its way for a
 * time, begins as late as its caller waits, and takes its whole time from there.
 *
 * @param runMs how long the function may take
 */
function restMsOf(runMs: number): number {
  return callFreshMs + runMs + deviceAnswerMs + runMs + deviceAnswerMs;
}

/** The attempt could not be begun; the process has not heard of it. */
export class NeverBegan extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** A moment that comes by itself, or sooner. */
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

  /** Calls the listener once, at that moment or now if it has passed. */
  whenOver(listener: () => void): void {
    if (this.#over) listener();
    else this.#listener = listener;
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new ServiceError('aborted', 'the task was cancelled'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
