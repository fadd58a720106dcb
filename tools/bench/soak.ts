// Resident memory over a long time at 20 tasks per second: node tools/bench/soak.mjs --minutes 20
import { parseArgs } from 'node:util';
import { finish, percentile, printMachine, rounded } from './harness.mjs';
import { startLaboratory, visitEvenly } from './load/laboratory.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } });
const minutes = Number(values.minutes);
if (!(minutes >= 0.5 && minutes <= 24 * 60)) throw new Error('--minutes is a number from 0.5 to 1440');
const perSecond = 20;
const sampleS = 5;

/** The median of the slopes between all pairs of points; per unit of x. */
function theilSen(points) {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([later, value]) => (value - y) / (later - x)),
  );
  return percentile(slopes, 0.5);
}

printMachine();
const laboratory = await startLaboratory({ agents: 10, processes: 2 });
const samples = [];
const began = performance.now();
const sampling = setInterval(() => {
  const hours = (performance.now() - began) / 3_600_000;
  samples.push([hours, laboratory.memory()]);
}, sampleS * 1000);
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
  const slope = (name) => rounded(theilSen(settled.map(([hours, memory]) => [hours, memory[name]])));
  const last = samples.at(-1)?.[1];
  const names = ['orchestrator', 'gateway', 'agents'];
  for (const name of names)
    console.log(`${name}: ${rounded(last[name], 0)} MB at the end, ${slope(name)} MB/h`);
  finish({
    minutes,
    tasks: durations.length,
    refused,
    missing,
    submit_to_call_p99_ms: rounded(percentile(durations, 0.99)),
    ...Object.fromEntries(names.map((name) => [`${name}_mb`, rounded(last[name], 0)])),
    ...Object.fromEntries(names.map((name) => [`${name}_slope_mb_per_h`, slope(name)])),
  });
} finally {
  clearInterval(sampling);
  await laboratory.stop();
}
