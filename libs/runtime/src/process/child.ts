import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { exitText, type ExitInfo } from './exit-info.js';
import { isServiceMessage } from './readiness.js';

export interface ChildOptions {
  name: string;
  /** A program to run, or a JavaScript module to fork with an IPC channel. */
  command: { program: string; args: readonly string[] } | { module: string; args?: readonly string[] };
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /**
   * Of a module: the size of V8's semi-space in MiB. A process uses up to three times as much. A small nursery saves
   * memory and costs garbage collection. Default: 2.
   */
  nurseryMb?: number;
  /**
   * `message`: the child reports readiness over IPC (see `runService`). A function: resolves when the child is ready;
   * its signal is aborted when the child ends first or the time is over.
   */
  ready: 'message' | ((signal: AbortSignal) => Promise<Record<string, unknown>>);
  /** Time limit of the start, in milliseconds. */
  startTimeoutMs: number;
  /** Time between the stop signal and SIGKILL, in milliseconds. */
  stopTimeoutMs: number;
  stopSignal?: NodeJS.Signals;
  /** Receives every line of output. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Called as soon as the process has a number, long before it is ready. */
  onSpawn?: (pid: number) => void;
}

/** Lines of standard error that are kept to explain a failed start. */
const keptErrorLines = 50;
const lateOutputMs = 500;

/** A child process that is ready. */
export interface RunningChild {
  readonly pid: number;
  /** The details that the child reported with its readiness. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Settles when the child has ended. Never rejects. */
  readonly exited: Promise<ExitInfo>;
  /** Asks the child to end, kills it after the time limit, and waits for its end. */
  stop(): Promise<ExitInfo>;
  /** Kills the child (SIGKILL), even during an orderly stop. */
  kill(): void;
}

/**
 * Starts a process and waits until it is ready. The process gets a session of its own, so that Ctrl-C in the terminal
 * reaches only the supervisor, which stops its children in order.
 *
 * @param signal aborting it before the child is ready kills the child
 * @throws Error with one sentence when the process cannot be started, ends before it is ready, or is not ready in
 *   time; no part of it runs then
 */
export async function startChild(options: ChildOptions, signal?: AbortSignal): Promise<RunningChild> {
  signal?.throwIfAborted();
  const child = spawnChild(options);
  const errorLines: string[] = [];
  forwardLines(child, (line, stream) => {
    if (stream === 'stderr' && line.trim() !== '' && errorLines.length < keptErrorLines)
      errorLines.push(line);
    options.onLine?.(line, stream);
  });
  const ended = endOf(child);
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  try {
    const details = await becomeReady(child, ended, options, errorLines, signal);
    return running(child, options, ended, details);
  } catch (error) {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

/**
 * Settles when a process has ended and its output has been read. If its own children hold the output open, settles
 * shortly after its end.
 */
function endOf(child: ChildProcess): Promise<ExitInfo> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const late = setTimeout(() => resolve({ code, signal }), lateOutputMs);
      child.once('close', () => {
        clearTimeout(late);
        resolve({ code, signal });
      });
    });
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** The line that gives the cause: the error in a crash report of Node, otherwise the last line. */
function tellingLine(errorLines: readonly string[]): string | undefined {
  return errorLines.find((line) => /^(\w*Error|\[ERR|.*\[FTL\])/.test(line)) ?? errorLines.at(-1);
}

function spawnChild({ command, env, cwd, nurseryMb = 2 }: ChildOptions): ChildProcess {
  const common = {
    env: { ...env },
    detached: process.platform !== 'win32',
    ...(cwd === undefined ? {} : { cwd }),
  };
  if ('module' in command) {
    return fork(command.module, [...(command.args ?? [])], {
      ...common,
      // Few arenas: the next thread of the pool reuses freed memory instead of asking the system (glibc).
      env: { MALLOC_ARENA_MAX: '2', ...env },
      execArgv: [`--max-semi-space-size=${nurseryMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
  }
  return spawn(command.program, [...command.args], {
    ...common,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function forwardLines(
  child: ChildProcess,
  onLine: (line: string, stream: 'stdout' | 'stderr') => void,
): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const input = child[stream];
    if (input !== null)
      createInterface({ input, crlfDelay: Infinity }).on('line', (line) => onLine(line, stream));
  }
}

function becomeReady(
  child: ChildProcess,
  ended: Promise<ExitInfo>,
  { name, ready, startTimeoutMs }: ChildOptions,
  errorLines: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  const over = new AbortController();
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    const fail = (message: string, cause?: unknown): void => {
      reject(new Error(message, cause === undefined ? undefined : { cause }));
    };
    const timer = setTimeout(
      () => fail(`${name} was not ready within ${startTimeoutMs / 1_000} s`),
      startTimeoutMs,
    );
    const onAbort = (): void => fail(`the start of ${name} was called off`);
    let said: string | undefined;
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', (error) => fail(`${name} cannot be started: ${error.message}`, error));
    void ended.then((exit) =>
      fail(`${name} did not start: ${said ?? tellingLine(errorLines) ?? exitText(exit)}`),
    );
    child.on('message', (message: unknown) => {
      if (!isServiceMessage(message)) return;
      if (message.type === 'failed') said = message.message;
      else if (ready === 'message') resolve(message.details);
    });
    if (ready !== 'message') ready(over.signal).then(resolve, reject);
    over.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    });
  }).finally(() => over.abort());
}

function running(
  child: ChildProcess,
  { stopSignal = 'SIGTERM', stopTimeoutMs }: ChildOptions,
  ended: Promise<ExitInfo>,
  details: Record<string, unknown>,
): RunningChild {
  let hurried = false;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    details,
    exited: ended,
    async stop() {
      if (!hasEnded()) child.kill(hurried ? 'SIGKILL' : stopSignal);
      const timer = setTimeout(() => {
        if (!hasEnded()) child.kill('SIGKILL');
      }, stopTimeoutMs);
      try {
        return await ended;
      } finally {
        clearTimeout(timer);
      }
    },
    kill() {
      hurried = true;
      if (!hasEnded()) child.kill('SIGKILL');
    },
  };
}
