// Where the time of a stack goes. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`, whatever the machine: the kernel counts in hundredths of a second for programs. */
const ticksPerSecond = 100;

/** What the processes of a stack are called, by a part of their command lines; the first that fits. */
const kinds = [
  [/apps\/gateway\//, 'gateway'],
  [/apps\/orchestrator\//, 'orchestrator'],
  [/apps\/optimizer\//, 'optimizer'],
  [/apps\/agent\//, 'agent, devices and tasks'],
  [/nats-server/, 'broker'],
  [/postgres/, 'database'],
];

/** Seconds of processor time that a process and all below it have taken so far, by kind. */
export function processorTimes(rootPid) {
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      processes.set(Number(pid), {
        parent: Number(fields[1]),
        ticks: Number(fields[11]) + Number(fields[12]),
        command,
      });
    } catch (error) {
      // It has ended meanwhile.
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    }
  }
  const isBelow = (pid) => pid === rootPid || (processes.has(pid) && isBelow(processes.get(pid).parent));
  const times = new Map();
  for (const [pid, { ticks, command }] of processes) {
    if (!isBelow(pid)) continue;
    const kind = kinds.find(([pattern]) => pattern.test(command))?.[1] ?? 'others';
    times.set(kind, (times.get(kind) ?? 0) + ticks / ticksPerSecond);
  }
  return times;
}
