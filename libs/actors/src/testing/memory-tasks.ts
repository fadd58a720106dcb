import {
  ServiceError,
  type ErrorCode,
  type FromTask,
  type JsonObject,
  type JsonValue,
  type ToTask,
} from '@lab/contracts';
import type { HostKind, SpooledFile, TaskProcess, TaskProcesses } from '../ports/index.js';
import { MemoryProcess } from './memory-process.js';

type Run = Extract<ToTask, { type: 'run' }>;

/** The tools of a simulated task. */
export interface TaskContext {
  readonly run: Run;
  /** Fires when the task is asked to stop. */
  readonly signal: AbortSignal;
  readonly process: SimulatedTask;
  call(slot: string, name: string, args?: JsonObject): Promise<JsonValue | undefined>;
  /** Waits for a file of an instrument. */
  expectFile(slot: string, pattern: string, timeoutS: number): Promise<JsonValue | undefined>;
}

export interface TaskOutput {
  output_parameters?: JsonObject;
  files?: SpooledFile[];
}

export type TaskScript = (context: TaskContext) => Promise<TaskOutput>;
export type SimulatedTask = MemoryProcess<ToTask, FromTask>;

/** Simulated task processes that use the real messages. The hash of the module selects the script of a task. */
export class MemoryTaskProcesses implements TaskProcesses {
  readonly started: SimulatedTask[] = [];
  /** The kinds of the started processes. */
  readonly kinds: HostKind[] = [];
  /** Ids of the attempts that got `run`, in order. */
  readonly runs: string[] = [];

  /** @param begin behaviour of a new process; default: it is warm at once */
  constructor(
    private readonly scripts: Record<string, TaskScript>,
    private readonly begin: (process: SimulatedTask) => void = (process) => process.say({ type: 'waiting' }),
  ) {}

  start(kind: HostKind): TaskProcess {
    const process: SimulatedTask = new MemoryProcess();
    if (kind.debugged !== undefined) process.debugger = '127.0.0.1:9229';
    this.started.push(process);
    this.kinds.push(kind);
    const pending = new Map<
      string,
      { resolve(value: JsonValue | undefined): void; reject(error: Error): void }
    >();
    let abort = new AbortController();
    let calls = 0;
    process.behave((message) => {
      if (message.type === 'run') {
        this.runs.push(message.attempt_id);
        abort = new AbortController();
        const ask = (say: (callId: string) => FromTask): Promise<JsonValue | undefined> =>
          new Promise((resolve, reject) => {
            const callId = String(++calls);
            pending.set(callId, { resolve, reject });
            process.say(say(callId));
          });
        const context: TaskContext = {
          run: message,
          signal: abort.signal,
          process,
          call: (slot, name, args = {}) =>
            ask((id) => ({ type: 'call', call_id: id, slot, function: name, arguments: args })),
          expectFile: (slot, pattern, timeoutS) =>
            ask((id) => ({ type: 'expect_file', call_id: id, slot, pattern, timeout_s: timeoutS })),
        };
        this.#execute(context);
      } else if (message.type === 'abort') {
        abort.abort(message.reason);
      } else {
        const call = pending.get(message.call_id);
        pending.delete(message.call_id);
        if (message.type === 'call_result') call?.resolve(message.value);
        else call?.reject(new ServiceError(message.code as ErrorCode, message.error.message));
      }
    });
    this.begin(process);
    return process;
  }

  get alive(): number {
    return this.started.filter((process) => process.alive).length;
  }

  #execute(context: TaskContext): void {
    const { process, run } = context;
    const script = this.scripts[run.module.hash];
    const done = script === undefined ? Promise.reject(new Error('no such module')) : script(context);
    done.then(
      ({ output_parameters = {}, files = [] }) => {
        process.say({ type: 'completed', output_parameters, output_resources: run.resources, files });
        process.say({ type: 'waiting' });
      },
      (error: unknown) =>
        process.say({
          type: 'failed',
          code: context.signal.aborted ? 'aborted' : 'task_error',
          error: { message: error instanceof Error ? error.message : String(error) },
        }),
    );
  }
}
