// Measures loading of generated packages: cold, again, and after one changed file, at 1, 4 and 16 times the size. Each size
// runs in a process of its own.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLoader, formatDiagnostics } from '@lab/definitions';
import { boundGarbage } from '@lab/runtime';
import { optionalWhole, readFlags } from '../shared/flags.js';
import { inFolder } from '../shared/folder.js';
import { percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { generatePackage, unit } from './definitions/generate.js';

type Figures = Awaited<ReturnType<typeof measure>>;

/** Reloads of each kind. The larger sizes serve only as a comparison. */
const reloadsAt = (size: number): number => (size === 1 ? 9 : 3);

/** The most memory that this process has had, in MB, without the child process of esbuild. */
const peakMb = (): number => process.resourceUsage().maxRSS / 1_024;

/** Loads packages of `size` times the unit. It runs in a process of its own, so that its memory can be measured. */
const measure = (size: number) =>
  inFolder('definitions', async (root) => {
    const userDir = join(root, 'user');
    const options = { userDir, cacheDir: join(root, 'cache') };
    for (let index = 0; index < size; index += 1) await generatePackage(userDir, index);
    const loader = createLoader(options);
    const load = async () => {
      const begin = performance.now();
      const catalog = await loader.load();
      const ms = performance.now() - begin;
      if (catalog.diagnostics.length > 0)
        throw new Error(formatDiagnostics(catalog.diagnostics, { userDir }));
      return { catalog, ms };
    };
    const cold = await load();
    const memory_mb = peakMb();
    // The second load reads again what was written just before the first. From then on only changes are read.
    await delay(50);
    await load();
    const afterChange = async (path: string, from: RegExp): Promise<number> => {
      const times: number[] = [];
      const file = join(userDir, path);
      const text = await readFile(file, 'utf8');
      for (let round = 0; round < reloadsAt(size); round += 1) {
        await writeFile(
          file,
          text.replace(from, (found) => `${found} ${round}`),
        );
        times.push((await load()).ms);
      }
      return percentile(times, 0.5);
    };
    const reloads = {
      cold_ms: cold.ms,
      unchanged_ms: (await load()).ms,
      protocol_ms: await afterChange('p0/experiments/p0_protocol_0/experiment.yml', /desc: Protocol/),
      task_ms: await afterChange('p0/tasks/p0_task_0/task.yml', /desc: Task/),
      lab_ms: await afterChange('p0/laboratories/p0_lab_0/lab.yml', /desc: Laboratory/),
      code_ms: await afterChange('p0/tasks/p0_task_0/task.ts', /\/\/ Revision/),
    };
    const memory_after_reloads_mb = peakMb();
    // Another loader in place of another process: the service never has two.
    const begin = performance.now();
    await createLoader(options).load();
    return {
      definitions: cold.catalog.origins.length,
      ...reloads,
      restart_ms: performance.now() - begin,
      memory_mb,
      memory_after_reloads_mb,
    };
  });

async function inOwnProcess(size: number): Promise<Figures> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // The nursery of the orchestrator.
    ['--max-semi-space-size=2', fileURLToPath(import.meta.url), '--size', String(size)],
    { timeout: 170_000 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Figures;
}

async function main(): Promise<void> {
  printMachine();
  console.log(
    `1x: ${unit.labs} labs with ${unit.labs * unit.devicesPerLab} devices, ${unit.deviceTypes} device types, ` +
      `${unit.tasks} task types, ${unit.protocols} protocols of ${unit.tasksPerProtocol} tasks; 4x and 16x: 4 and 16 packages`,
  );
  const per1000: Record<string, number> = {};
  const found: Figures[] = [];
  for (const size of [1, 4, 16]) {
    const figures = await inOwnProcess(size);
    found.push(figures);
    const { definitions, ...times } = figures;
    per1000[`${size}x`] = rounded((figures.cold_ms / definitions) * 1_000, 0);
    console.log(`${size}x, ${definitions} definitions:`);
    for (const [name, value] of Object.entries(times))
      console.log(`  ${name.padEnd(14)} ${rounded(value, 1)}`);
  }
  const [first] = found as [Figures, ...Figures[]];
  printResult({
    cold_s: rounded(first.cold_ms / 1_000),
    reload_ms: rounded(first.protocol_ms, 1),
    // The peaks of the cold load and of all reloads, garbage included.
    memory_mb: rounded(first.memory_mb, 0),
    memory_after_reloads_mb: rounded(first.memory_after_reloads_mb, 0),
    per_1000_ms: per1000,
    reload_task_ms: rounded(first.task_ms, 1),
    reload_lab_ms: rounded(first.lab_ms, 1),
    reload_code_ms: rounded(first.code_ms, 1),
    restart_s: rounded(first.restart_ms / 1_000),
  });
}

const { size } = readFlags({ size: optionalWhole });
if (size === undefined) await main();
else {
  boundGarbage();
  printResult(await measure(size));
}
