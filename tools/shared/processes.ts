import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processes of this machine, read from `/proc`. Linux only. */

export interface RunningProcess {
  pid: number;
  parent: number;
  /** Words of the command line, separated by blanks. */
  command: string;
  /** Seconds of processor time so far. */
  processorS: number;
  /** Seconds of processor time of descendants that have ended. */
  endedS: number;
}

/** The kernel tells programs processor time in hundredths of a second, on every machine. */
const ticksPerSecond = 100;

/** All processes that can be read, without those that have ended and wait for their parent. */
export function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = readUnlessGone(`/proc/${pid}/stat`);
      const command = readUnlessGone(`/proc/${pid}/cmdline`);
      if (stat === undefined || command === undefined) return [];
      // The name before the last bracket may hold blanks and brackets.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') return [];
      return {
        pid: Number(pid),
        parent: Number(fields[1]),
        command: command.split('\0').filter(Boolean).join(' '),
        processorS: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
        endedS: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond,
      };
    });
}

/** A process and all its descendants. */
export const processTree = (rootPid: number): RunningProcess[] => treeIn(runningProcesses(), rootPid);

function treeIn(all: readonly RunningProcess[], rootPid: number): RunningProcess[] {
  const below = (pid: number): RunningProcess[] =>
    all.filter(({ parent }) => parent === pid).flatMap((each) => [each, ...below(each.pid)]);
  return [...all.filter(({ pid }) => pid === rootPid), ...below(rootPid)];
}

/** Kinds of processes of a stack, by a part of their command lines; the first match counts. */
const kinds: [RegExp, string][] = [
  [/apps\/gateway\//, 'gateway'],
  [/apps\/orchestrator\//, 'orchestrator'],
  [/apps\/optimizer\//, 'optimizer'],
  [/apps\/agent\//, 'agent, devices and tasks'],
  [/nats-server/, 'broker'],
  [/postgres/, 'database'],
];

/** Seconds of processor time of a process and its descendants so far, also of those that have ended, by kind. */
export function processorTimes(rootPid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const { command, processorS, endedS } of processTree(rootPid)) {
    const kind = kinds.find(([pattern]) => pattern.test(command))?.[1] ?? 'others';
    times.set(kind, (times.get(kind) ?? 0) + processorS + endedS);
  }
  return times;
}

/** Seconds of processor time of processes so far, with their descendants, also with those that have ended. */
export function processorSeconds(rootPids: readonly number[]): number {
  const all = runningProcesses();
  return rootPids
    .flatMap((pid) => treeIn(all, pid))
    .reduce((sum, { processorS, endedS }) => sum + processorS + endedS, 0);
}

/** Memory that is private to a process, plus its share of shared memory, in MB (proportional set size). */
export const proportionalMb = (pid: number): number => megabytesIn(`/proc/${pid}/smaps_rollup`, 'Pss') ?? 0;

/** Memory in MB that a process has written and shares with no other process. Other stacks on the machine do not change it. */
export const privateMb = (pid: number): number =>
  megabytesIn(`/proc/${pid}/smaps_rollup`, 'Private_Dirty') ?? 0;

/** Resident memory in MB; undefined when the process has ended. */
export const residentMb = (pid: number): number | undefined => megabytesIn(`/proc/${pid}/status`, 'VmRSS');

function megabytesIn(path: string, field: string): number | undefined {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readUnlessGone(path) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Process ids of the services of a stack, by name. A service that is being restarted is absent. */
export function servicesOf(dataDir: string): Map<string, number> {
  const text = readFileSync(join(dataDir, 'run', 'processes.json'), 'utf8');
  const list = JSON.parse(text) as { name: string; pid: number }[];
  return new Map(list.map(({ name, pid }) => [name, pid]));
}

/** @returns undefined when the process has ended, or belongs to somebody else */
export function readUnlessGone(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Sends a signal. @returns whether the process exists */
export function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  // 0 and negative numbers mean groups of processes, among them the group of this one.
  if (pid === undefined || !(pid > 0)) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
