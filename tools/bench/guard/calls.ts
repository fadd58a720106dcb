import { load, timed, until } from '../../shared/measure.js';
import { processorSeconds } from '../../shared/processes.js';
import { isOver } from '../../shared/stack.js';
import { figureNames, type Figure } from './figures.js';
import { farProbe, nearProbe, type Floor, type Service } from './laboratory.js';
import { quick, type Pair } from './statistics.js';

/** Comparisons of requests, tasks and calls. */

/** Measures some figures once. */
export interface Comparison {
  figures: readonly Figure[];
  round(): Promise<Partial<Record<Figure, Pair>>>;
}

/** Single calls in each round, one of the service after one of the floor. */
const calls = 20;
const touches = 6;
/**
 * Calls of the bare chain beside a commit. The commit alone depends on the disk, but a submission and a task mostly on the
 * processor: without these calls, a machine with a slow processor and a quick disk has another ratio.
 */
const callsBesideCommit = 8;
/** Operations at once, and how many of them in each round. */
const inFlight = 64;
const bareBatch = 1_000;
const queryBatch = 300;
const startBatch = 100;
const taskBatch = 32;

/** All figures that need the service. */
export const requestFigures: readonly Figure[] = figureNames.filter(
  (name) => !['first_plan', 'start', 'memory'].includes(name),
);

const now = (): number => performance.timeOrigin + performance.now();

export function comparisons(floor: Floor, service: Service): Comparison[] {
  const bare = bareOf(floor);
  const { query, effect } = callsOf(service);
  const withCalls = (path: string) => async (): Promise<void> => {
    await bare(path)();
    for (let call = 0; call < callsBesideCommit; call += 1) await bare('/call')();
  };
  let count = 0;
  const name = (): string => `guard_${(count += 1)}`;

  const touch = async (): Promise<number> => {
    const task = name();
    const at = now();
    await service.submit(task, 'touch', nearProbe);
    return Number((await service.outputsOf(task))['called_at']) - at;
  };

  const gapsOfChain = async (): Promise<number[]> => {
    const run = name();
    await service.api.post('/api/protocols', { body: { name: run, type: 'chain', parameters: {} } });
    const read = () =>
      service.api.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: run } });
    const { tasks } = await until(read, isOver, 30_000);
    return tasks.map((task) => Number(task.output_parameters?.['gap'])).filter((gap) => gap > 0);
  };

  const callsOfTask = async (type: string, devices: object): Promise<number> => {
    const task = name();
    await service.submit(task, type, { ...devices, input_parameters: { count: calls } });
    return Number((await service.outputsOf(task))['call_ms']);
  };

  const allCompleted = async (owner: string, count: number): Promise<void> => {
    const read = () => service.api.get('/api/tasks', { query: { owner, state: 'completed', limit: 100 } });
    await until(read, ({ items }) => items.length === count, 60_000, 20);
  };

  const runTasks = async (): Promise<void> => {
    const owner = name();
    await load(taskBatch, taskBatch, (index) => service.submit(`${owner}_${index}`, 'noop', { owner }));
    await allCompleted(owner, taskBatch);
  };

  return [
    { figures: ['query'], round: async () => ({ query: await inTurn(bare('/call'), query) }) },
    { figures: ['effect'], round: async () => ({ effect: await inTurn(bare('/effect'), effect) }) },
    {
      figures: ['submission'],
      async round() {
        // Paused work does not start, so that only the acceptance is measured.
        await service.api.post('/api/queue/pause', { body: {} });
        const owner = name();
        let index = 0;
        const submit = () => service.submit(`${owner}_${(index += 1)}`, 'noop', { owner });
        const submission = await inTurn(withCalls('/commit'), submit);
        await service.api.post('/api/queue/resume', { body: {} });
        await allCompleted(owner, index);
        return { submission };
      },
    },
    {
      figures: ['query_processor'],
      async round() {
        const ofFloor = await processorMs(floor.pids, bareBatch, () =>
          load(bareBatch, inFlight, bare('/call')),
        );
        const ours = await processorMs(service.pids, queryBatch, () => load(queryBatch, inFlight, query));
        return { query_processor: { ours, floor: ofFloor } };
      },
    },
    {
      figures: ['first_call'],
      async round() {
        const starts: number[] = [];
        const firstCalls: number[] = [];
        for (let index = 0; index < touches; index += 1) {
          starts.push(await timed(withCalls('/start')));
          firstCalls.push(await touch());
        }
        return { first_call: { ours: quick(firstCalls), floor: quick(starts) } };
      },
    },
    {
      figures: ['next_call'],
      async round() {
        const starts = (await load(calls / 2, 1, withCalls('/start'))).durations;
        const gaps = await gapsOfChain();
        starts.push(...(await load(calls / 2, 1, withCalls('/start'))).durations);
        return { next_call: { ours: quick(gaps), floor: quick(starts) } };
      },
    },
    {
      figures: ['task_processor'],
      async round() {
        const ofFloor = await processorMs(floor.pids, startBatch, () =>
          load(startBatch, inFlight, withCalls('/start')),
        );
        const ours = await processorMs(service.pids, taskBatch, runTasks);
        return { task_processor: { ours, floor: ofFloor } };
      },
    },
    ...(['task_call', 'far_call'] as const).map((figure) => ({
      figures: [figure],
      async round() {
        const bareCalls = (await load(calls / 2, 1, bare('/effect'))).durations;
        const ours = await (figure === 'far_call'
          ? callsOfTask('far_calls', farProbe)
          : callsOfTask('calls', nearProbe));
        bareCalls.push(...(await load(calls / 2, 1, bare('/effect'))).durations);
        return { [figure]: { ours, floor: quick(bareCalls) } };
      },
    })),
  ];
}

const bareOf =
  ({ sender }: Floor) =>
  (path: string) =>
  (): Promise<void> =>
    sender.post(path, {});

const callsOf = ({ sender }: Service) => ({
  query: () => sender.post('/api/rpc/bench_lab/probe/ping', {}),
  effect: () => sender.post('/api/rpc/bench_lab/probe/touch', {}),
});

/** Afterwards the code of all chains is compiled. */
export async function warmUp(all: readonly Comparison[], floor: Floor, service: Service): Promise<void> {
  const bare = bareOf(floor);
  const { query, effect } = callsOf(service);
  for (const call of [bare('/call'), bare('/effect'), bare('/start'), query, effect])
    await load(1_000, inFlight, call);
  for (const { round } of all) await round();
}

/** Single calls of both sides, one after the other. */
async function inTurn(floor: () => Promise<unknown>, ours: () => Promise<unknown>): Promise<Pair> {
  const durations = { ours: [] as number[], floor: [] as number[] };
  for (let call = 0; call < calls; call += 1) {
    durations.floor.push(await timed(floor));
    durations.ours.push(await timed(ours));
  }
  return { ours: quick(durations.ours), floor: quick(durations.floor) };
}

/** Milliseconds of processor time of each of `count` operations. */
async function processorMs(
  pids: readonly number[],
  count: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = processorSeconds(pids);
  await work();
  return ((processorSeconds(pids) - before) * 1_000) / count;
}
