/**
 * The process of a task. An agent starts it ahead of time and exchanges the messages `toTask` and
 * `fromTask` of contracts with it. The process sends `waiting` when it can take a task. After a task that left timers, sockets
 * or the like behind, it ends; after any other task it sends `waiting` again. It ends at once when the agent is gone.
 *
 * Tasks with `isolation: thread` run in threads of the process. Each thread executes this module as well, for one task, and
 * exchanges the same messages with the main thread.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import type { JsonValue, ModuleReference } from '@lab/contracts';
import { contextKey } from '../author/index.js';
import { importClass } from './author-class.js';
import { describeError } from './author-error.js';
import { Channel } from './channel.js';
import { authorLog, captureConsole } from './console-capture.js';
import { CallFailure, deviceError, deviceHandle, type SendCall } from './device-handle.js';
import { NotJson } from './json-value.js';
import { toTaskMessage, type FromTask, type ToTask } from './messages.js';
import { checkResult } from './task-result.js';
import { TaskThreads } from './task-threads.js';

/** How long timers and sockets that a task left behind may take to end by themselves, in milliseconds. */
const settleMs = 50;

/** Greatest number of faults of a result that are named. */
const mostProblems = 5;

type RunMessage = ToTask & { type: 'run' };

interface PendingCall {
  resolve(value: JsonValue | undefined): void;
  reject(error: Error): void;
  answered: Promise<unknown>;
}

interface Run {
  module: ModuleReference;
  abort: AbortController;
  calls: Map<string, PendingCall>;
}

const channel = new Channel<FromTask>();
const write = channel.log.bind(channel);
const flushOutput = captureConsole(write);
process.setSourceMapsEnabled(true);

/** Set as soon as the first task came that runs in a thread. This process then runs only such tasks. */
let threads: TaskThreads | undefined;
let current: Run | undefined;
let lastCall = 0;

channel.onMessage((raw) => {
  try {
    receive(toTaskMessage(raw));
  } catch (error) {
    channel.log('error', `message ignored: ${describeError(error, { package: '' }).message}`);
  }
});
channel.onGone(() => process.exit(1));
// Ctrl-C in a terminal reaches every process of the group, but the agent decides when its tasks end.
process.on('SIGINT', () => channel.log('debug', 'SIGINT left to the agent'));
process.on('uncaughtException', (error) => crash(error));
process.on('unhandledRejection', (error) => crash(error));
channel.send({ type: 'waiting', version: process.versions.node });

function receive(message: ToTask): void {
  if (isMainThread && message.type === 'run' && message.isolation === 'thread') {
    threads ??= new TaskThreads(channel);
  }
  if (threads !== undefined) {
    threads.receive(message);
    return;
  }
  switch (message.type) {
    case 'run':
      if (current !== undefined) throw new Error('run came while a task is running');
      void run(message);
      return;
    case 'call_result':
      settle(message.call_id)?.resolve(message.value);
      return;
    case 'call_failure': {
      const { message: text, stack } = message.error;
      settle(message.call_id)?.reject(new CallFailure(message.code, text, stack));
      return;
    }
    case 'abort':
      abort(message.reason);
  }
}

/** Removes and returns a pending call. The answer to a call of an earlier or aborted task finds none. */
function settle(callId: string): PendingCall | undefined {
  const call = current?.calls.get(callId);
  current?.calls.delete(callId);
  return call;
}

async function run(message: RunMessage): Promise<void> {
  const before = activeResources();
  const task: Run = { module: message.module, abort: new AbortController(), calls: new Map() };
  current = task;
  let outcome: FromTask;
  try {
    outcome = await execute(task, message);
  } catch (error) {
    outcome = failed(task, error);
  }
  if (current !== task) return;
  current = undefined;
  flushOutput();
  channel.send(outcome);
  // The main thread ends this thread, with everything that the task left.
  if (outcome.type === 'completed' && !isMainThread) return;
  if (outcome.type === 'completed' && (await leftNothing(before))) channel.send({ type: 'waiting' });
  else await channel.exit(0);
}

async function execute(task: Run, message: RunMessage): Promise<FromTask> {
  const { signal } = task.abort;
  const TaskClass = await importClass(message.path, message.module.source, 'task');
  const send: SendCall = (slot, name, parameters) => call(task, slot, name, parameters);
  const devices = Object.fromEntries(
    Object.entries(message.devices).map(([slot, device]) => [slot, deviceHandle(slot, device, send)]),
  );
  const { parameters, resources, files: given = {} } = message;
  const author = new TaskClass();
  author[contextKey] = {
    ...{ signal, log: authorLog(write), devices, parameters, resources, files: given },
    expectFile: (slot, pattern, timeoutS) => expectFile(task, message.devices[slot], slot, pattern, timeoutS),
    scratchFolder: async () => (await import('./spool-files.js')).scratchFolder(message.spool),
  };
  signal.throwIfAborted();
  const result = checkResult(await author._execute(devices, parameters, resources));
  if (task.calls.size > 0) await callsLeft(task);
  const none = Object.keys(result.files).length === 0;
  // Only a task with files loads the file handling, so that other tasks start sooner.
  const { written, problems } = none
    ? { written: [], problems: [] }
    : await (await import('./spool-files.js')).writeFiles(message.spool, result.files, signal);
  const code = result.problems.length > 0 ? 'invalid_output' : 'file_error';
  const found = [...result.problems, ...problems].slice(0, mostProblems).join('; ');
  return {
    type: 'completed',
    output_parameters: result.outputParameters,
    output_resources: result.outputResources,
    files: written,
    ...(found === '' ? {} : { problem: { code, message: found } }),
  };
}

async function call(run: Run, ...[slot, name, args]: Parameters<SendCall>): ReturnType<SendCall> {
  return ask(run, `${slot}.${name}`, (id) => {
    return { type: 'call', call_id: id, slot, function: name, arguments: args };
  });
}

/** Waits for a file of an instrument. @param device undefined: the task has none of that handle, as the agent says then */
async function expectFile(
  run: Run,
  device: { lab: string; name: string } | undefined,
  slot: string,
  pattern: string,
  timeoutS: number,
): Promise<JsonValue | undefined> {
  const site = new Error();
  if (!(timeoutS >= 0 && timeoutS < Infinity))
    throw new TypeError(`expectFile: timeoutS must be a number of seconds, not ${timeoutS}`);
  try {
    return await ask(run, `expectFile of ${slot}`, (id) => {
      return { type: 'expect_file', call_id: id, slot, pattern, timeout_s: timeoutS };
    });
  } catch (error) {
    if (!(error instanceof CallFailure) || device === undefined) throw error;
    throw deviceError(device, 'expectFile', error, site);
  }
}

/** Sends what the agent answers by `call_result` or `call_failure`. */
async function ask(
  run: Run,
  what: string,
  message: (callId: string) => FromTask,
): Promise<JsonValue | undefined> {
  const { signal } = run.abort;
  if (signal.aborted) throw new CallFailure('aborted', (signal.reason as Error).message, undefined);
  if (current !== run) throw new Error(`${what} was called after _execute had ended`);
  lastCall += 1;
  const id = String(lastCall);
  let settlers!: Pick<PendingCall, 'resolve' | 'reject'>;
  const answered = new Promise<JsonValue | undefined>((resolve, reject) => (settlers = { resolve, reject }));
  run.calls.set(id, { ...settlers, answered });
  channel.send(message(id));
  return answered;
}

/** Waits for calls that the task did not await: until they end, its devices must not go to other tasks. */
async function callsLeft(run: Run): Promise<void> {
  channel.log(
    'warn',
    `_execute returned while ${run.calls.size} device calls were in progress: await every call`,
  );
  while (run.calls.size > 0) {
    await Promise.allSettled([...run.calls.values()].map(({ answered }) => answered));
  }
  // An unhandled failure must fail the task, so it gets a chance to surface before the task counts as completed.
  await nextTurn();
}

function abort(reason: string): void {
  if (current === undefined || current.abort.signal.aborted) return;
  const error = new Error(reason);
  error.name = 'AbortError';
  const pending = [...current.calls.values()];
  current.calls.clear();
  current.abort.abort(error);
  for (const { reject } of pending) reject(new CallFailure('aborted', reason, undefined));
}

function failed(task: Run, error: unknown): FromTask {
  const described = error instanceof NotJson ? { message: error.message } : describeError(error, task.module);
  return { type: 'failed', code: codeOf(task, error), error: described };
}

function codeOf(task: Run, error: unknown): string {
  if (task.abort.signal.aborted) return 'aborted';
  if (error instanceof NotJson) return 'invalid_output';
  if (!(error instanceof Error)) return 'task_error';
  if (error.name === 'DeviceError' && 'code' in error && typeof error.code === 'string') return error.code;
  return 'task_error';
}

/** Handles an error of author code that no one awaits. */
function crash(error: unknown): void {
  const task = current;
  current = undefined;
  flushOutput();
  if (task === undefined) {
    const { message, stack } = describeError(error, { package: '' });
    channel.log('error', `failed after its task had ended: ${stack ?? message}`);
  } else {
    channel.send(failed(task, error));
  }
  void channel.exit(1);
}

function activeResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Whether all timers, sockets, child processes and so on that a task started have ended. */
async function leftNothing(before: Map<string, number>): Promise<boolean> {
  const more = (): boolean => [...activeResources()].some(([kind, count]) => count > (before.get(kind) ?? 0));
  if (!more()) return true;
  await nextTurn();
  if (!more()) return true;
  await delay(settleMs);
  return !more();
}
