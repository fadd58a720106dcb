// Measures how the memory of each process grows over a long time at 20 tasks per second: npm run bench:soak -- --minutes 20.
// Every ten minutes it says on the standard error how much memory each process has.
import { fraction, readFlags } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { measuredProcesses, startLaboratory, visitEvenly, type LaboratoryMemory } from './load/laboratory.js';

const { minutes } = readFlags({ minutes: fraction(20, { least: 0.5, most: 24 * 60 }) });
const perSecond = 20;
const sampleS = 5;
const saidEvery = 120;

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
const began = performance.now();
const sampling = setInterval(() => {
  const memory = laboratory.memory();
  samples.push({ hours: (performance.now() - began) / 3_600_000, memory });
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
  const settled = samples.slice(Math.floor(samples.length / 3));
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
  });
} finally {
  clearInterval(sampling);
  await laboratory.stop();
}
