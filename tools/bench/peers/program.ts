import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, type RunningPostgres } from '@lab/persistence/embedded';
import { until } from '../../shared/measure.js';
import { processTree, readUnlessGone, signal } from '../../shared/processes.js';

export interface ProgramOptions {
  /** Also the name of its log file. */
  name: string;
  command: string;
  args: readonly string[];
  /** Folder in which it runs and logs. */
  folder: string;
  /** Variables besides those of `basicEnvironment`. */
  env: Record<string, string>;
}

export interface Program {
  readonly pid: number;
  /** Waits until `isReady` holds. @throws Error with the end of the log when the program ends first, or is too late */
  ready(isReady: () => Promise<boolean>): Promise<void>;
  /** Ends the program and every process that it has started. */
  stop(): Promise<void>;
}

const readyMs = 180_000;
const stopMs = 60_000;

/** What runs now, in the order of its start. */
const running = new Set<{ stop(): Promise<void> }>();

/** Stops everything that was started here, the last first. */
export async function stopAll(): Promise<void> {
  for (const each of [...running].reverse()) await each.stop();
}

/** A database with the settings of the service. @param folder its files */
export async function startDatabase(folder: string): Promise<RunningPostgres> {
  const database = await startPostgres({ dataDir: folder });
  running.add(database);
  void database.exited.then(() => running.delete(database));
  return database;
}

/** Of this process: what a program cannot do without. The clock is UTC because MADSci writes times without a zone. */
const basicEnvironment = () => ({ PATH: process.env['PATH'], TZ: 'UTC', PYTHONUNBUFFERED: '1' });

export async function startProgram({ name, command, args, folder, env }: ProgramOptions): Promise<Program> {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...basicEnvironment(), HOME: folder, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const program: Program = {
    pid,
    async ready(isReady) {
      const check = async (): Promise<boolean> => {
        if (hasEnded(child)) throw new Error(`${name} ended before it was ready:\n${lastLines(log)}`);
        return isReady().catch(() => false);
      };
      try {
        await until(check, Boolean, readyMs, 50);
      } catch (error) {
        throw new Error(`${name} is not ready:\n${lastLines(log)}`, { cause: error });
      }
    },
    async stop() {
      const begins = new Map(processTree(pid).map((each) => [each.pid, beginOf(each.pid)]));
      if (!hasEnded(child)) {
        const gone = once(child, 'exit');
        child.kill('SIGINT');
        await Promise.race([gone, delay(stopMs, undefined, { ref: false })]);
      }
      await endAll(begins);
      running.delete(program);
    },
  };
  running.add(program);
  return program;
}

/** Waits until the processes have ended, and kills those that do not. @param begins of the processes, by their numbers */
async function endAll(begins: ReadonlyMap<number, string | undefined>): Promise<void> {
  // A number may belong to another process by now.
  const left = (): number[] =>
    [...begins].filter(([pid, begin]) => begin !== undefined && beginOf(pid) === begin).map(([pid]) => pid);
  for (let tries = 0; tries < 50 && left().length > 0; tries += 1) await delay(100);
  for (const pid of left()) signal(pid, 'SIGKILL');
  await until(left, ({ length }) => length === 0);
}

/** When a process began, in ticks since the start of the machine; undefined when it has ended. */
function beginOf(pid: number): string | undefined {
  const stat = readUnlessGone(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const lastLines = (log: string): string =>
  readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20).join('\n');

/** Sends a request. @throws Error with the answer unless it is a success */
export async function request(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000), ...init });
  if (response.ok) return response.json();
  throw new Error(`${init?.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
}

/** The body of a request, as JSON. */
export const jsonBody = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
