// Warm start to ready, and the memory of the idle stack with the color lab, both by process.
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startServiceStack } from '@lab/testkit';
import {
  devicesIdle,
  finish,
  httpClient,
  percentile,
  printMachine,
  processTree,
  rounded,
} from './harness.mjs';

const starts = 5;
const settleMs = 5_000;

/** A short name for a process: what it is, not how it was started. */
function nameOf(command) {
  const known =
    /(nats-server|gateway|orchestrator|optimizer|agent|device-host|task-host|guard|postgres: [\w ]+|postgres)/;
  const match = known.exec(command.replace(/^.*\/node\s/, ''));
  return match?.[1] ?? basename(command.split(' ')[1] ?? command);
}

/** When each service said it was ready, in milliseconds after `begin` (since 1970). */
async function readyTimes(begin) {
  const folder = join(dataDir, 'logs');
  const times = [];
  for (const file of await readdir(folder)) {
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      if (!line.startsWith('{') || !line.includes('"msg":"ready"')) continue;
      const at = Date.parse(JSON.parse(line).time) - begin;
      if (at >= 0) times.push([basename(file, '.log'), at]);
    }
  }
  return times;
}

printMachine();
const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const env = { SVC_LABS: 'color_lab' };
try {
  const first = await startServiceStack({ dataDir, env });
  await first.stop();

  const times = [];
  let memory = [];
  for (let index = 0; index < starts; index++) {
    const startedAt = Date.now();
    const begin = performance.now();
    const stack = await startServiceStack({ dataDir, env });
    times.push((performance.now() - begin) / 1000);
    if (index === starts - 1) {
      for (const [service, at] of await readyTimes(startedAt))
        console.log(`${service.padEnd(34)} ready after ${at} ms`);
      console.log(`${'stack'.padEnd(34)} ready after ${Math.round(times.at(-1) * 1000)} ms`);
      const client = httpClient(stack.url);
      await devicesIdle(client);
      client.close();
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      memory = processTree(stack.pid);
    }
    await stack.stop();
  }

  const byName = new Map();
  for (const { command, pssMb } of memory) {
    const name = nameOf(command);
    const entry = byName.get(name) ?? { count: 0, pssMb: 0 };
    byName.set(name, { count: entry.count + 1, pssMb: entry.pssMb + pssMb });
  }
  for (const [name, { count, pssMb }] of [...byName].sort((a, b) => b[1].pssMb - a[1].pssMb)) {
    console.log(`${name.padEnd(34)} ${String(count).padStart(3)} x  ${rounded(pssMb, 1)} MB PSS`);
  }
  finish({
    warm_ready_s: rounded(percentile(times, 0.5)),
    warm_ready_max_s: rounded(Math.max(...times)),
    pss_mb: Math.round(memory.reduce((sum, { pssMb }) => sum + pssMb, 0)),
    processes: memory.length,
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
