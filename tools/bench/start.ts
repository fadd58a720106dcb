// Measures the time of a warm start until the stack is ready, and the memory of the idle stack with the color lab, by
// process.
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServiceStack } from '@lab/testkit';
import { percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { processTree, proportionalMb } from '../shared/processes.js';
import { clientOf, devicesIdle } from '../shared/stack.js';

const starts = 5;
const settleMs = 5_000;

/** A short name of a process. */
function nameOf(command: string): string {
  const known =
    /(nats-server|gateway|orchestrator|optimizer|agent|device-host|task-host|guard|postgres: [\w ]+|postgres)/;
  const match = known.exec(command.replace(/^.*\/node\s/, ''));
  return match?.[1] ?? basename(command.split(' ')[1] ?? command);
}

/** When each service logged that it is ready, in milliseconds after `begin` (milliseconds since 1970). */
async function readyTimes(begin: number): Promise<[string, number][]> {
  const folder = join(dataDir, 'logs');
  const times: [string, number][] = [];
  for (const file of await readdir(folder)) {
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      if (!line.startsWith('{') || !line.includes('"msg":"ready"')) continue;
      const at = Date.parse((JSON.parse(line) as { time: string }).time) - begin;
      if (at >= 0) times.push([basename(file, '.log'), at]);
    }
  }
  return times;
}

printMachine();
const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const env = { SVC_LABS: 'color_lab' };
try {
  await (await startServiceStack({ dataDir, env })).stop();

  const times: number[] = [];
  let memory: { name: string; mb: number }[] = [];
  for (let index = 0; index < starts; index += 1) {
    const startedAt = Date.now();
    const begin = performance.now();
    const stack = await startServiceStack({ dataDir, env });
    const seconds = (performance.now() - begin) / 1_000;
    times.push(seconds);
    if (index === starts - 1) {
      for (const [service, at] of await readyTimes(startedAt))
        console.log(`${service.padEnd(34)} ready after ${at} ms`);
      console.log(`${'stack'.padEnd(34)} ready after ${Math.round(seconds * 1_000)} ms`);
      await devicesIdle(clientOf(stack.url));
      await delay(settleMs);
      memory = processTree(stack.pid).map(({ pid, command }) => ({
        name: nameOf(command),
        mb: proportionalMb(pid),
      }));
    }
    await stack.stop();
  }

  const byName = new Map<string, { count: number; mb: number }>();
  for (const { name, mb } of memory) {
    const entry = byName.get(name) ?? { count: 0, mb: 0 };
    byName.set(name, { count: entry.count + 1, mb: entry.mb + mb });
  }
  for (const [name, { count, mb }] of [...byName].sort(([, a], [, b]) => b.mb - a.mb))
    console.log(`${name.padEnd(34)} ${String(count).padStart(3)} x  ${rounded(mb, 1)} MB PSS`);
  printResult({
    warm_ready_s: rounded(percentile(times, 0.5)),
    warm_ready_max_s: rounded(Math.max(...times)),
    pss_mb: Math.round(memory.reduce((sum, { mb }) => sum + mb, 0)),
    processes: memory.length,
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
