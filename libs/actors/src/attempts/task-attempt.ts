import {
  runtimeOf,
  ServiceError,
  type AttemptOutcome,
  type AttemptStatus,
  type CodeRuntime,
  type FromTask,
  type LocalFile,
  type TaskStart,
  type ToTask,
} from '@lab/contracts';
import type { Clock } from '@lab/ports';
import type { Ledger } from '../ledger/index.js';
import {
  describeExit,
  type AgentLog,
  type Files,
  type InstrumentFiles,
  type Modules,
  type ProcessExit,
  type SpooledFile,
} from '../ports/index.js';
import { AttemptDeviceCalls, type AttemptCallsPorts } from './attempt-calls.js';
import { ExpectedFiles } from './expected-files.js';
import type { Lease, ProcessPool } from './process-pool.js';

export interface AttemptPorts extends AttemptCallsPorts {
  /** Used for differences only. */
  clock: Clock;
  /** The time of the computer, in milliseconds since 1970. */
  wall: Clock;
  log: AgentLog;
  ledger: Ledger;
  modules: Modules;
  files: Files;
  instrumentFiles?: InstrumentFiles;
  /** How long the end of an attempt waits for the driver of a device in doubt to settle it, in milliseconds. */
  doubtMs: number;
  pool: ProcessPool;
}

/** When a cancelled task gets the signals, in milliseconds after the abort message. */
export interface Ladder {
  termMs: number;
  killMs: number;
}

/** The end of an attempt in its process, before its files are stored. */
export interface Ending {
  outcome: AttemptOutcome;
  files: SpooledFile[];
  /** When the process ended, by the wall clock; absent: not known. */
  endedMs?: number | undefined;
  /** What executed its code; absent: nothing did, or nobody knows. */
  runtime?: CodeRuntime | undefined;
}

type Report = Exclude<FromTask, { type: 'call' | 'expect_file' | 'log' | 'waiting' }>;

/** Puts the input files of the task into its spool folder; undefined: it has none. */
type PlaceFiles = (log: AgentLog, signal: AbortSignal) => Promise<Record<string, LocalFile> | undefined>;

interface Prepared {
  lease: Lease;
  /** Path of the module file. */
  path: string;
  spool: string;
  files: Record<string, LocalFile> | undefined;
}
type ProcessEnd = { report: Report } | { exit: ProcessExit };

/**
 * One execution of a task, from acceptance to the end of its process.
 *
 * Guarantees: the process gets `run` at most once, and only after ACCEPT and BEGIN are durable. `run` resolves only when the
 * process is done with the task or dead, and no device call of the attempt is in progress. An attempt that did not complete
 * counts as failed or cancelled only when its devices are known to stand still; otherwise it is unknown.
 */
export class TaskAttempt {
  readonly log: AgentLog;
  readonly #calls: AttemptDeviceCalls;
  readonly #expected: ExpectedFiles;
  readonly #withdraw = new AbortController();
  #phase: 'accepted' | 'running' | 'over' = 'accepted';
  #cancelled: { reason: string; byAgent: boolean } | undefined;
  #lease: Lease | undefined;
  #cancelLadder: () => void = () => undefined;
  #endDoubtWait: () => void = () => undefined;

  constructor(
    readonly start: TaskStart,
    private readonly ports: AttemptPorts,
    private readonly placeFiles: PlaceFiles,
  ) {
    this.log = ports.log.child({ task: start.label, attempt: start.attempt_id });
    this.#calls = new AttemptDeviceCalls(start, ports, this.log);
    this.#expected = new ExpectedFiles(start, ports, this.log);
  }

  get status(): AttemptStatus {
    if (this.#cancelled !== undefined) return 'cancelling';
    return this.#phase === 'accepted' ? 'accepted' : 'running';
  }

  /** Whether a person may hold the task, or a device of this computer that it has, at a breakpoint. */
  get isDebugged(): boolean {
    const { devices, modules } = this.ports;
    if (modules.isDebugged?.(this.start.task_type) === true) return true;
    return devices
      .statuses()
      .some(
        ({ lab, name, debugger: address }) =>
          address !== undefined &&
          Object.values(this.start.devices).some((each) => each.lab === lab && each.name === name),
      );
  }

  /**
   * Runs the attempt to its end.
   *
   * @param accepted resolves when ACCEPT is durable; if it rejects, this method rejects with the same error
   */
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
      // No effect if the process was given back for reuse already.
      prepared?.lease.release({ reuse: false });
    }
  }

  /**
   * Asks the attempt to stop. The abort message and `_stop` of its moving devices come at once, SIGTERM and SIGKILL later. A
   * second call can only shorten the times.
   *
   * @param byAgent true: the agent stops, and nobody cancelled the task
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
      this.#calls.stop(reason);
    }
    if (first || byAgent) this.#climb(ladder);
  }

  /** Provides everything that the run needs and makes BEGIN durable. @returns undefined when the attempt was cancelled */
  async #prepare(accepted: Promise<void>): Promise<Prepared | undefined> {
    const { modules, files, ledger, pool } = this.ports;
    const { attempt_id: attemptId, module, isolation, task_type: type } = this.start;
    const withdrawn = this.#withdraw.signal;
    const code = orAborted(modules.path(module, type), withdrawn);
    const kind = {
      ...{ runtime: module.runtime ?? 'node', environment: module.environment },
      debugged: modules.isDebugged?.(type) === true ? type : undefined,
    };
    const folder = files.prepare(attemptId);
    // An attempt that is refused fetches no files.
    const inputs = Promise.all([folder, accepted]).then(() => this.placeFiles(this.log, withdrawn));
    const [taken, path, spool, given, acceptance] = await Promise.allSettled([
      // Fetching code and files may take minutes, and processes are few, so a process is taken last.
      Promise.all(this.start.files === undefined ? [code] : [code, inputs]).then(() =>
        pool.take({ isolation, kind }, withdrawn),
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
    const send = (message: ToTask): void => process.send(message);
    const ended = new Promise<ProcessEnd>((resolve) => {
      lease.listen({
        message: (message) => {
          if (message.type === 'log') this.log[message.level](message.text, { source: 'task' });
          else if (message.type === 'call') void this.#calls.make(message, send, this.#withdraw.signal);
          else if (message.type === 'expect_file')
            void this.#expected.give(message, send, this.#withdraw.signal);
          else if (message.type !== 'waiting') resolve({ report: message });
        },
        exit: (exit) => resolve({ exit }),
      });
    });
    this.#phase = 'running';
    this.#lease = lease;
    if (this.#cancelled !== undefined) {
      // Cancelled while BEGIN was being written: the process does not know the task yet.
      return this.#ending(this.#stoppedOutcome());
    }
    process.send({
      type: 'run',
      attempt_id: this.start.attempt_id,
      label: this.start.label,
      isolation: this.start.isolation,
      module: this.start.module,
      path,
      devices: this.#handles(),
      parameters: this.start.parameters,
      resources: this.start.resources,
      spool,
      ...(files === undefined ? {} : { files }),
    });
    const end = await ended;
    const endedMs = this.ports.wall.now();
    this.#phase = 'over';
    this.#cancelLadder();
    this.#withdraw.abort();
    await this.#calls.none();
    this.#calls.release();
    if (!('report' in end) || end.report.type !== 'completed') await this.#devicesSettled();
    const runtime = runtimeOf(this.start.module, lease.version);
    const ending = { ...this.#endingOf(end), endedMs, runtime };
    const healthy = 'report' in end && end.report.type === 'completed' && this.#cancelled === undefined;
    const isForOne = this.start.isolation === 'single_use' || lease.process.debugger !== undefined;
    lease.release({ reuse: healthy && !isForOne });
    return ending;
  }

  #handles(): (ToTask & { type: 'run' })['devices'] {
    return Object.fromEntries(
      Object.entries(this.start.devices).map(([slot, { lab, name, computer, functions = [], meta }]) => {
        const local = computer === this.ports.computer;
        const declared = functions.length === 0 ? null : functions;
        const known = local ? this.ports.devices.functions({ lab, name }) : declared;
        return [slot, { lab, name, functions: known, ...(meta === undefined ? {} : { meta }) }];
      }),
    );
  }

  #climb(ladder: Ladder): void {
    const { timers } = this.ports;
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
    const { output_parameters, output_resources, problem } = report;
    const wrong = problem === undefined ? {} : { problem };
    return {
      outcome: { kind: 'completed', output_parameters, output_resources, files, ...wrong },
      files: report.files,
    };
  }

  #stoppedOutcome(): AttemptOutcome {
    if (this.#cancelled?.byAgent !== true) return this.#unlessInDoubt({ kind: 'cancelled' });
    const message = `the agent stopped the task: ${this.#cancelled.reason}`;
    return this.#unlessInDoubt({ kind: 'failed', code: 'agent_stopped', error: { message } });
  }

  /** Waits for the drivers of devices in doubt, which may soon find out that their devices stand still. */
  async #devicesSettled(): Promise<void> {
    const { calls, timers, doubtMs } = this.ports;
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

  /** An attempt is unknown while a device may still move for it, because that device must not go to another task. */
  #unlessInDoubt(outcome: Exclude<AttemptOutcome, { kind: 'completed' | 'unknown' }>): AttemptOutcome {
    const call = this.ports.calls.doubtOf(this.start.attempt_id);
    if (call === undefined) return outcome;
    const how = outcome.kind === 'failed' ? outcome.error.message : 'the task was cancelled';
    const detail = `${how}; whether ${call.function} of device ${call.device} took effect is not known`;
    return { kind: 'unknown', detail };
  }

  #ending(outcome: AttemptOutcome): Ending {
    return { outcome, files: [], endedMs: this.ports.wall.now() };
  }
}

/** The attempt could not begin. No process has received it. */
export class NeverBegan extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
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
