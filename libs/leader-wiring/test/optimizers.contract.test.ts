import {
  optimizerEvents as events,
  optimizerRequests as requests,
  ServiceError,
  type Trial,
} from '@lab/contracts';
import { MemoryOptimizers, SequentialIds } from '@lab/engine/testing';
import { VirtualClock } from '@lab/ports';
import type { OptimizerMaking, OptimizerSession, Optimizers } from '@lab/engine';
import { MemoryBroker } from '@lab/messaging/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { OptimizerDirectory } from '../src/optimizer-directory.js';
import { optimizersOverBus } from '../src/optimizers-over-bus.js';

/** The guarantees that the engine needs, for the optimizers over the bus and for the double in memory. */

const here = '10.0.0.7';
const campaign = { id: 'c1', name: 'c' };
const making: OptimizerMaking = {
  protocol: 'p',
  integers: ['mix.a'],
  module: { hash: 'h', package: 'l', source: 'optimizer.ts' },
  overrides: { step: 2 },
};
const runs = [
  { number: 1, run: 'c_run_1' },
  { number: 2, run: 'c_run_2' },
];

interface UnderTest {
  optimizers: Optimizers;
  /** The component that answers in the end. */
  worker: MemoryOptimizers;
  /** Makes the worker appear and announce itself. */
  boot(): Promise<void>;
  /** Makes the worker disappear silently. */
  crash(): Promise<void>;
  /** Kills the process of the latest session. */
  lose(): Promise<void>;
}

function inMemory(): Promise<UnderTest> {
  const worker = new MemoryOptimizers();
  return Promise.resolve({
    optimizers: worker,
    worker,
    boot: async () => worker.boot(here),
    crash: async () => worker.crash(here),
    lose: async () => worker.lose(worker.session('c')),
  });
}

/** The adapter over the bus with a worker that answers from memory. */
async function overBus(): Promise<UnderTest> {
  const clock = new VirtualClock();
  const broker = new MemoryBroker({ timers: clock });
  const mine = broker.connect({ role: 'orchestrator', name: 'o' });
  const directory = await OptimizerDirectory.listen(mine, { clock, timers: clock });
  const lease = { epoch: 1, demand: () => undefined };
  const worker = new MemoryOptimizers();
  const theirs = broker.connect({ role: 'optimizer', name: 'w' });
  const sessions = new Map<string, OptimizerSession>();
  const open: (() => Promise<void>)[] = [];
  const of = ({ session }: { session: string }): OptimizerSession => {
    const found = sessions.get(session);
    if (found === undefined) throw new ServiceError('stale_message', 'there is no such session');
    return found;
  };
  const me = { instance: 'w1' };
  const settle = async (): Promise<void> => {
    await clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
    await clock.settle();
  };
  return {
    optimizers: optimizersOverBus(mine, lease, directory, {
      ids: new SequentialIds(),
      clock,
      timers: clock,
    }),
    worker,
    async boot() {
      worker.boot(here);
      const served = await Promise.all([
        theirs.serve(requests.describe, me, ({ integers = [], ...body }) =>
          worker.describe(here, { ...body, integers }),
        ),
        theirs.serve(requests.open, me, async (body) => {
          const { campaign_id: id, campaign: name, runtime_params: runtimeParams, integers = [] } = body;
          const asked = { ...body, integers };
          sessions.set(body.session, await worker.open(here, { id, name }, asked, runtimeParams));
          return worker.description;
        }),
        theirs.serve(requests.tell, me, async (body) => {
          await of(body).tell(body.trials);
          return { measured: 0 };
        }),
        theirs.serve(requests.propose, me, async (body) => {
          const { trials, insights_used: used } = await of(body).propose(body.runs, body.insights);
          return { trials: [...trials], insights_used: [...used] };
        }),
        theirs.serve(requests.configure, me, async (body) => ({
          runtime_params: await of(body).configure(body.runtime_params),
        })),
        theirs.serve(requests.best, me, async (body) => ({ rows: await of(body).best() })),
        theirs.serve(requests.explain, me, async (body) => ({ belief: await of(body).explain() })),
        theirs.serve(requests.close, me, async (body) => {
          await of(body).close();
          return {};
        }),
      ]);
      open.push(...served.map((each) => () => each.unsubscribe()));
      theirs.publish(events.announced, { worker: 'w' }, { ...me, addresses: [here], version: 'test' });
      await settle();
    },
    async crash() {
      worker.crash(here);
      for (const close of open.splice(0)) await close();
      await clock.advance(20_000);
      await settle();
    },
    async lose() {
      const [session = ''] = [...sessions.keys()].slice(-1);
      worker.session('c').alive = false;
      theirs.publish(events.lost, { worker: 'w' }, { ...me, campaign_id: 'c1', session, reason: 'it died' });
      await settle();
    },
  };
}

describe.each([
  ['in memory', inMemory],
  ['over the bus', overBus],
])('optimizers %s', (_, make) => {
  let under: UnderTest;

  beforeEach(async () => {
    under = await make();
    await under.boot();
  });

  const open = (params = {}) => under.optimizers.open(here, campaign, making, params);
  const trial = (number: number, state: Trial['state'], outputs: Trial['outputs'] = null): Trial => ({
    number,
    run: `c_run_${number}`,
    source: 'optimizer',
    state,
    inputs: { 'a.n': number },
    outputs,
    additional: {},
    note: {},
  });

  it('describe themselves, and refuse wrong overrides', async () => {
    await expect(under.optimizers.describe(here, making)).resolves.toMatchObject({
      input_names: ['a.n'],
      runtime_params: { p_ai: 0 },
    });
    await expect(
      under.optimizers.describe(here, { ...making, overrides: { nope: 1 } }),
    ).rejects.toMatchObject({ code: 'invalid', faults: [{ path: 'optimizer_overrides.nope' }] });
  });

  it('propose the same row for the same run, accept results, and return the best rows', async () => {
    const session = await open();
    const { trials } = await session.propose(runs, []);
    expect(trials.map(({ number, run, inputs }) => [number, run, inputs])).toEqual([
      [1, 'c_run_1', { 'a.n': 2 }],
      [2, 'c_run_2', { 'a.n': 4 }],
    ]);
    expect((await session.propose(runs.slice(1), [])).trials).toEqual(trials.slice(1));
    await session.tell([trial(1, 'measured', { 'a.score': 7 }), trial(2, 'failed')]);
    await expect(session.best()).resolves.toEqual([{ 'a.score': 7 }]);
    await expect(session.explain()).resolves.toEqual({ known: 2 });
    expect(under.worker.session('c').told.map(({ number, state }) => [number, state])).toEqual([
      [1, 'measured'],
      [2, 'failed'],
    ]);
  });

  it('accept insights, and name those that a suggestion used', async () => {
    const session = await open();
    under.worker.uses = (insights) => insights.map(({ id }) => id);
    const insight = { id: 'i1', text: 'less', by: 'ada', at: 1 };
    expect((await session.propose(runs, [insight])).insights_used).toEqual(['i1']);
  });

  it('begin with the given parameters, and change all of them or none', async () => {
    const session = await open({ p_ai: 0.5, p_bayesian: 0.5 });
    await expect(session.configure({ p_ai: 0.25 })).resolves.toEqual({
      p_ai: 0.25,
      p_bayesian: 0.75,
      descending: false,
    });
    await expect(session.configure({ p_ai: 1, descending: 3 })).rejects.toMatchObject({ code: 'invalid' });
    expect(under.worker.session('c').runtimeParams).toMatchObject({ p_ai: 0.25, descending: false });
  });

  it('answer an error of the author code as optimizer_error', async () => {
    const session = await open();
    under.worker.row = () => {
      throw new Error('the grid is exhausted');
    };
    await expect(session.propose(runs, [])).rejects.toMatchObject({
      code: 'optimizer_error',
      message: 'the grid is exhausted',
    });
  });

  it('have one session per campaign, and a new one ends the earlier one', async () => {
    const [first, second] = [await open(), await open()];
    await expect(first.propose(runs, [])).rejects.toMatchObject({ code: 'stale_message' });
    await expect(second.propose(runs, [])).resolves.toMatchObject({ trials: [{}, {}] });
    await second.close();
    await expect(second.best()).rejects.toMatchObject({ code: 'stale_message' });
  });

  it('report that a process has died, and end the session', async () => {
    const session = await open();
    const lost: string[] = [];
    session.onLost((reason) => lost.push(reason));
    await under.lose();
    expect(lost).toHaveLength(1);
    await expect(session.tell([])).rejects.toMatchObject({ code: 'stale_message' });
  });

  it('are unavailable without a worker, and report its arrival', async () => {
    const session = await open();
    const arrivals: unknown[] = [];
    const stop = under.optimizers.onArrival((addresses) => arrivals.push(addresses));
    await under.crash();
    await expect(open()).rejects.toMatchObject({
      code: 'optimizer_unavailable',
      effect: 'none',
      message: expect.stringContaining(here),
    });
    await expect(session.propose(runs, [])).rejects.toMatchObject({ code: 'optimizer_unavailable' });
    await under.boot();
    expect(arrivals).toEqual([[here]]);
    stop();
    await expect(open()).resolves.toMatchObject({ id: expect.any(String) });
  });
});
