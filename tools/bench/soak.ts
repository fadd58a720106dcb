// Measures how the memory of each process grows over a long time at 20 tasks per second: npm run bench:soak -- --minutes 20.
// Every ten minutes it says on the standard error how much memory each process has. Resident memory contains garbage that V8 has not
// collected yet, and what it has not given back. A leak shows in the heap that is left after each collection.
import { fraction, readFlags } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { measuredProcesses, startLaboratory, visitEvenly, type LaboratoryMemory } from './load/laboratory.js';

const { minutes } = readFlags({ minutes: fraction(20, { least: 0.5, most: 24 * 60 }) });
const perSecond = 20;
const sampleS = 5;
const saidEvery = 120;
/** Processes whose heap is watched. */
const watched = ['orchestrator', 'gateway'] as const;
/** Parts of the whole time, each long enough for a collection of the whole heap. */
const parts = 24;

type Heap = Record<(typeof watched)[number], number>;

/** MB that JavaScript uses in each process, garbage included, as the processes told the gateway last. */
async function heapOf(url: string): Promise<Heap> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (service: string): number =>
    Number(new RegExp(`^nodejs_heap_used_bytes\\{service="${service}".*\\} (\\d+)$`, 'm').exec(text)?.[1]) /
    2 ** 20;
  return { orchestrator: of('orchestrator'), gateway: of('gateway') };
}

/** The least value of each part of the time: what was left after a collection. */
function lowWater(points: readonly (readonly [x: number, y: number])[]): (readonly [x: number, y: number])[] {
  const size = Math.ceil(points.length / parts);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, part) =>
    points.slice(part * size, (part + 1) * size).reduce((least, each) => (each[1] < least[1] ? each : least)),
  );
}

/** The median of the slopes between all pairs of points (Theil 1950, Sen 1968), per unit of x. */
function theilSen(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([later, value]) => (value - y) / (later - x)),
  );
  return percentile(slopes, 0.5);
}

printMachine();
const laboratory = await startLaboratory({ agents: 10, processes: 2 });
const samples: { hours: number; memory: LaboratoryMemory }[] = [];
const heaps: { hours: number; heap: Heap }[] = [];
const began = performance.now();
const sampling = setInterval(() => {
  const memory = laboratory.memory();
  const hours = (performance.now() - began) / 3_600_000;
  samples.push({ hours, memory });
  // A sample that a busy gateway does not answer is left out.
  void heapOf(laboratory.url).then(
    (heap) => heaps.push({ hours, heap }),
    () => undefined,
  );
  if (samples.length % saidEvery === 0)
    console.error(JSON.stringify({ minute: (samples.length * sampleS) / 60, ...memory }));
}, sampleS * 1_000);
try {
  const { durations, refused, missing } = await visitEvenly(laboratory, {
    prefix: 'soak',
    perSecond,
    seconds: Math.round(minutes * 60),
    stations: laboratory.stations,
  });
  clearInterval(sampling);
  // The first third fills caches and pools.
  const settledOf = <T>(all: readonly T[]): T[] => all.slice(Math.floor(all.length / 3));
  const settled = settledOf(samples);
  const left = watched.map((name) => {
    const points = lowWater(settledOf(heaps).map(({ hours, heap }) => [hours, heap[name]]));
    return { name, mb: rounded(points.at(-1)?.[1] ?? NaN), slope: rounded(theilSen(points)) };
  });
  const last = samples.at(-1)?.memory;
  const figures = measuredProcesses.map((name) => ({
    name,
    mb: rounded(last?.[name] ?? NaN, 0),
    slope: rounded(theilSen(settled.map(({ hours, memory }) => [hours, memory[name]]))),
  }));
  printResult({
    minutes,
    tasks: durations.length,
    refused,
    missing,
    submit_to_call_p99_ms: rounded(percentile(durations, 0.99)),
    ...Object.fromEntries(figures.map(({ name, mb }) => [`${name}_mb`, mb])),
    ...Object.fromEntries(figures.map(({ name, slope }) => [`${name}_slope_mb_per_h`, slope])),
    ...Object.fromEntries(left.map(({ name, mb }) => [`${name}_heap_mb`, mb])),
    ...Object.fromEntries(left.map(({ name, slope }) => [`${name}_heap_slope_mb_per_h`, slope])),
  });
} finally {
  clearInterval(sampling);
  await laboratory.stop();
}
