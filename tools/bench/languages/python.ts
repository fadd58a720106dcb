// Measures what code in Python costs beside code in TypeScript, in turn: calls that a task makes on a device, and the start and the
// memory of a process for tasks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ForkedTaskProcesses } from '@lab/agent/parts';
import { runtimes, type Runtime } from '@lab/contracts';
import { Python, type ForkedProcess } from '@lab/hosting';
import { inFolder, writePackage } from '../../shared/folder.js';
import { percentile, printMachine, printResult, rounded, until } from '../../shared/measure.js';
import { devicesIdle, isOver, withStack } from '../../shared/stack.js';

const rounds = 7;
const calls = 400;
const starts = 15;

const probes = [
  { name: 'node', type: 'burst', device: 'probe' },
  { name: 'python', type: 'burst_python', device: 'python_probe' },
] as const;
const functions = { query: 'ping', effect: 'touch' } as const;

const lab = 'bench_lab';
const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** Medians of the rounds, in milliseconds, by function and language. */
async function callTimes(): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  await inFolder('python', async (folder) => {
    const device = (type: string) => ({
      desc: 'Notes the time of every call',
      type,
      computer: 'svc_computer',
    });
    const devices = Object.fromEntries(probes.map(({ device: type }) => [type, device(type)]));
    await writePackage('bench/packages/bench_lab', join(folder, lab), { name: lab, computers: {}, devices });
    await withStack({ userDir: folder }, async (_, api) => {
      await devicesIdle(api, probes.length);
      let count = 0;
      for (let round = 0; round <= rounds; round += 1) {
        for (const { name, type, device: probe } of probes) {
          for (const [kind, called] of Object.entries(functions)) {
            const task = `burst_${(count += 1)}`;
            await api.post('/api/tasks', {
              body: {
                ...{ name: task, type, devices: { probe: { lab_name: lab, name: probe } } },
                input_parameters: { function: called, count: calls, at_once: 1 },
              },
            });
            const read = () => api.get('/api/tasks/{task_name}', { path: { task_name: task } });
            const { state, reason, output_parameters: outputs } = await until(read, isOver, 60_000, 5);
            if (state !== 'completed') throw new Error(`${task} is ${state}: ${JSON.stringify(reason)}`);
            // The first round warms everything up.
            const key = `${kind}_${name}`;
            if (round > 0) times.set(key, [...(times.get(key) ?? []), Number(outputs?.['p50_ms'])]);
          }
        }
      }
    });
  });
  return times;
}

/** Starts a process for tasks. @returns milliseconds until it waits for a task, and its memory in MB */
async function startOnce(processes: ForkedTaskProcesses, runtime: Runtime): Promise<[number, number]> {
  const begin = performance.now();
  const process = processes.start({ runtime }) as ForkedProcess<never, { type: string }>;
  const gone = new Promise<void>((resolve) => process.onExit(() => resolve()));
  await new Promise<void>((resolve) =>
    process.onMessage(({ type }) => {
      if (type === 'waiting') resolve();
    }),
  );
  const ms = performance.now() - begin;
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8')) ?? [];
  process.kill('SIGKILL');
  await gone;
  return [ms, Number(kilobytes) / 1_024];
}

const python = new Python();
await python.demand({ package: 'the benchmark', source: 'of its hosts' });
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };

printMachine();
const times = await callTimes();
const processes = new ForkedTaskProcesses({ program: () => python.program }, log);
const started = new Map<Runtime, [number, number][]>(runtimes.map((runtime) => [runtime, []]));
for (let n = 0; n <= starts; n += 1) {
  for (const runtime of runtimes) {
    const measured = await startOnce(processes, runtime);
    if (n > 0) started.get(runtime)?.push(measured);
  }
}
const figures: Record<string, number> = {};
for (const kind of Object.keys(functions)) {
  const [node, inPython] = probes.map(({ name }) => median(times.get(`${kind}_${name}`) ?? []));
  figures[`${kind}_node_p50_ms`] = rounded(node ?? NaN, 3);
  figures[`${kind}_python_p50_ms`] = rounded(inPython ?? NaN, 3);
  figures[`${kind}_python_to_node`] = rounded((inPython ?? NaN) / (node ?? NaN));
}
for (const [runtime, all] of started) {
  figures[`start_${runtime}_ms`] = Math.round(median(all.map(([ms]) => ms)));
  figures[`memory_${runtime}_mb`] = Math.round(median(all.map(([, mb]) => mb)));
}
printResult(figures);
