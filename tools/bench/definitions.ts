// Loading of generated packages: cold, again, and after one changed file, at 1x, 4x and 16x; each size in its own process.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLoader, formatDiagnostics } from '@lab/definitions';
import { generatePackage, unit } from './definitions/generate.ts';
import { finish, percentile, printMachine, rounded } from './harness.mjs';

/** Reloads of each kind; fewer where they are only compared. */
const reloadsAt = (size) => (size === 1 ? 9 : 3);

/** Loads packages of `size` times the unit and gives what it took. Runs in a process of its own, so that its memory counts. */
async function measure(size) {
  const root = await mkdtemp(join(tmpdir(), 'bench-definitions-'));
  try {
    const userDir = join(root, 'user');
    for (let index = 0; index < size; index++) await generatePackage(userDir, index);
    const loader = createLoader({ userDir, cacheDir: join(root, 'cache') });
    const load = async () => {
      const begin = performance.now();
      const catalog = await loader.load();
      const ms = performance.now() - begin;
      if (catalog.diagnostics.length > 0)
        throw new Error(formatDiagnostics(catalog.diagnostics, { userDir }));
      return { catalog, ms };
    };
    const cold = await load();
    // The most that this process held at any time, in kilobytes; the child process of esbuild is not in it.
    const coldMemory = process.resourceUsage().maxRSS / 1024;
    const definitions = cold.catalog.origins.length;
    // What was written just before it was read is read again; after that only what is changed.
    await delay(50);
    await load();
    const changed = async (path, from) => {
      const times = [];
      const file = join(userDir, path);
      const text = await readFile(file, 'utf8');
      for (let round = 0; round < reloadsAt(size); round++) {
        await writeFile(
          file,
          text.replace(from, (found) => `${found} ${round}`),
        );
        times.push((await load()).ms);
      }
      return percentile(times, 0.5);
    };
    const figures = {
      definitions,
      cold_ms: cold.ms,
      unchanged_ms: (await load()).ms,
      protocol_ms: await changed('p0/experiments/p0_protocol_0/experiment.yml', /desc: Protocol/),
      task_ms: await changed('p0/tasks/p0_task_0/task.yml', /desc: Task/),
      lab_ms: await changed('p0/laboratories/p0_lab_0/lab.yml', /desc: Laboratory/),
      code_ms: await changed('p0/tasks/p0_task_0/task.ts', /\/\/ Revision/),
    };
    const again = createLoader({ userDir, cacheDir: join(root, 'cache') });
    const begin = performance.now();
    await again.load();
    figures.restart_ms = performance.now() - begin;
    figures.memory_mb = coldMemory;
    figures.memory_after_reloads_mb = process.resourceUsage().maxRSS / 1024;
    return figures;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function inOwnProcess(size) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(import.meta.url), '--size', String(size)],
    { timeout: 170_000 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const at = process.argv.indexOf('--size');
if (at !== -1) {
  console.log(JSON.stringify(await measure(Number(process.argv[at + 1]))));
} else {
  printMachine();
  console.log(
    `1x: ${unit.labs} labs with ${unit.labs * unit.devicesPerLab} devices, ${unit.deviceTypes} device types, ` +
      `${unit.tasks} task types, ${unit.protocols} protocols of ${unit.tasksPerProtocol} tasks; 4x and 16x: as many packages`,
  );
  const per1000 = {};
  let first;
  for (const size of [1, 4, 16]) {
    const found = await inOwnProcess(size);
    first ??= found;
    per1000[`${size}x`] = rounded((found.cold_ms / found.definitions) * 1000, 0);
    const { definitions, ...times } = found;
    console.log(`${size}x, ${definitions} definitions:`);
    for (const [name, value] of Object.entries(times))
      console.log(`  ${name.padEnd(14)} ${rounded(value, 1)}`);
  }
  finish({
    cold_s: rounded(first.cold_ms / 1000),
    reload_ms: rounded(first.protocol_ms, 1),
    // Peak resident set of the cold load; with two loaders and all reloads, in which garbage is left lying, the second.
    memory_mb: rounded(first.memory_mb, 0),
    memory_after_reloads_mb: rounded(first.memory_after_reloads_mb, 0),
    per_1000_ms: per1000,
    reload_task_ms: rounded(first.task_ms, 1),
    reload_lab_ms: rounded(first.lab_ms, 1),
    reload_code_ms: rounded(first.code_ms, 1),
    restart_s: rounded(first.restart_ms / 1000),
  });
}
