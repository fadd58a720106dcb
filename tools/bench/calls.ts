// Measures the calls that a task makes on a device of its own computer and on one of another computer, one at a time and
// 64 at once, beside a bare chain of HTTP, NATS and a forked process in the same rounds.
import { load, p50AndP99, percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { farProbe, nearProbe, withLaboratory, type Service } from './guard/laboratory.js';

const rounds = 5;
const inFlight = 64;
const sequentialCalls = 400;
const parallelCalls = 4_000;

const near = { type: 'burst', devices: nearProbe };
const far = { type: 'far_burst', devices: farProbe };
const cases = [
  { name: 'query', function: 'ping', ...near },
  { name: 'effect', function: 'touch', ...near },
  { name: 'far_query', function: 'ping', ...far },
  { name: 'far_effect', function: 'touch', ...far },
] as const;

interface Burst {
  p50_ms: number;
  p99_ms: number;
  calls_per_s: number;
}

const medianOf = (bursts: readonly Burst[], figure: keyof Burst): number =>
  percentile(
    bursts.map((each) => each[figure]),
    0.5,
  );

let count = 0;
async function burst(
  service: Service,
  { type, devices, function: name }: (typeof cases)[number],
  many: boolean,
) {
  const task = `burst_${(count += 1)}`;
  const parameters = {
    function: name,
    count: many ? parallelCalls : sequentialCalls,
    at_once: many ? inFlight : 1,
  };
  await service.submit(task, type, { ...devices, input_parameters: parameters });
  return (await service.outputsOf(task)) as unknown as Burst;
}

printMachine();
await withLaboratory(async ({ floor, withService }) => {
  await withService(async (service) => {
    const bare = (): Promise<void> => floor.sender.post('/call', {});
    await load(8_000, inFlight, bare);
    for (const each of cases) await burst(service, each, true);

    const one = new Map(cases.map(({ name }) => [name, [] as Burst[]]));
    const many = new Map(cases.map(({ name }) => [name, [] as Burst[]]));
    const bareTimes: number[] = [];
    const bareRates: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bareTimes.push(...(await load(sequentialCalls, 1, bare)).durations);
      bareRates.push((await load(parallelCalls, inFlight, bare)).perSecond);
      for (const each of cases) {
        one.get(each.name)?.push(await burst(service, each, false));
        many.get(each.name)?.push(await burst(service, each, true));
      }
    }
    const figures = cases.map(({ name }) => {
      const [single = [], parallel = []] = [one.get(name), many.get(name)];
      return {
        [`${name}_p50_ms`]: rounded(medianOf(single, 'p50_ms'), 3),
        [`${name}_p99_ms`]: rounded(medianOf(single, 'p99_ms'), 3),
        [`${name}_calls_per_s_64`]: Math.round(medianOf(parallel, 'calls_per_s')),
      };
    });
    printResult({
      ...Object.assign({}, ...figures),
      ...p50AndP99('floor_', bareTimes, 3),
      floor_calls_per_s_64: Math.round(percentile(bareRates, 0.5)),
    });
  });
});
