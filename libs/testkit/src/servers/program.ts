import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export interface Program {
  /** For error messages. */
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Receives every line of output. @returns whether the program is ready */
  onLine: (line: string) => boolean;
  /** Milliseconds. Those during which the whole machine stands still count as one second. */
  readyMs: number;
  /** Ends the program when this process exits, or when the program is not ready in time. */
  endSignal: NodeJS.Signals;
}

const lookMs = 1_000;

/**
 * Starts a program, and waits until it is ready.
 *
 * @throws Error with the last lines of output, when the program ends or is not ready in time
 */
export async function startProgram(program: Program): Promise<ChildProcess> {
  const { name, command, args, env, onLine, readyMs, endSignal } = program;
  const child = spawn(command, args, { ...(env && { env }), stdio: ['ignore', 'pipe', 'pipe'] });
  // A program must not outlive this process, even when an uncaught error ends it.
  const end = (): void => void child.kill(endSignal);
  process.on('exit', end);
  child.once('exit', () => process.off('exit', end));
  await new Promise<void>((resolve, reject) => {
    const printed: string[] = [];
    const fail = (why: string): void => {
      clearInterval(timer);
      end();
      reject(new Error([`${name} ${why}`, ...printed].join('\n')));
    };
    let waitedMs = 0;
    const timer = setInterval(() => {
      waitedMs += lookMs;
      if (waitedMs >= readyMs) fail(`was not ready within ${readyMs} ms`);
    }, lookMs);
    child.once('error', ({ message }) => fail(`cannot be run: ${message}`));
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code} before it was ready`));
    forEachLine(child, (line) => {
      printed.push(line);
      if (printed.length > 200) printed.shift();
      if (!onLine(line)) return;
      clearInterval(timer);
      resolve();
    });
  });
  return child;
}

/** Reads the output of a process, line by line. */
export function forEachLine({ stdout, stderr }: ChildProcess, onLine: (line: string) => void): void {
  for (const input of [stdout, stderr]) if (input !== null) createInterface({ input }).on('line', onLine);
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Resolves when no thread of a process that got SIGSTOP runs any more. Its threads stop one after the other. */
export async function standsStill(pid: number): Promise<void> {
  // Other systems do not tell the state of a thread.
  if (process.platform !== 'linux') return;
  while (threadStates(pid).some((state) => state !== 'T')) await delay(2);
}

/** The states of the threads of a process, as letters of proc(5). A thread may end meanwhile. */
function threadStates(pid: number): (string | undefined)[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [stat.slice(stat.lastIndexOf(')') + 2)[0]];
    } catch {
      return [];
    }
  });
}

/**
 * Asks a process to end, and waits until it has ended.
 *
 * @param limitMs milliseconds after which the process is killed
 */
export async function stopProgram(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  limitMs?: number,
): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  const timer = limitMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), limitMs);
  // A suspended process cannot act on the signal.
  child.kill('SIGCONT');
  child.kill(signal);
  await gone;
  clearTimeout(timer);
}
