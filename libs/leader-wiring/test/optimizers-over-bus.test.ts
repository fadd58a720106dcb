import { optimizerEvents as events, optimizerRequests as requests, ServiceError } from '@lab/contracts';
import { SequentialIds } from '@lab/engine/testing';
import { VirtualClock } from '@lab/ports';
import type { OptimizerMaking } from '@lab/engine';
import type { Bus } from '@lab/messaging';
import { MemoryBroker, type CarriedMessage } from '@lab/messaging/testing';
import { expect, it } from 'vitest';
import { OptimizerDirectory } from '../src/optimizer-directory.js';
import { optimizersOverBus } from '../src/optimizers-over-bus.js';
import { leaderTimings } from '../src/timings.js';

const here = '10.0.0.7';
const campaign = { id: 'c1', name: 'c' };
const making: OptimizerMaking = {
  protocol: 'p',
  integers: ['mix.a'],
  module: { hash: 'h', package: 'l', source: 'optimizer.ts' },
  overrides: { p_ai: 0.5 },
};
const description = {
  input_names: ['a.n'],
  output_names: ['a.score'],
  additional_names: [],
  fields: [],
  runtime_params: { p_ai: 0.5 },
  arguments: {},
};

const named = { worker: 'w' };

/** A worker, and the answers to its requests. */
async function worker(bus: Bus, instance: string): Promise<{ opened: unknown[]; announce: () => void }> {
  const opened: unknown[] = [];
  const me = { instance };
  await bus.serve(requests.describe, me, () => description);
  await bus.serve(requests.open, me, (body, { envelope }) => {
    opened.push({ ...body, epoch: envelope.epoch });
    return description;
  });
  await bus.serve(requests.tell, me, () => ({ measured: 1 }));
  await bus.serve(requests.propose, me, () => new Promise(() => undefined));
  await bus.serve(requests.configure, me, ({ runtime_params }) => {
    if (runtime_params['p_ai'] === 2) throw new ServiceError('invalid', 'too much');
    return { runtime_params };
  });
  await bus.serve(requests.best, me, () => ({ rows: [{ 'a.n': 1 }] }));
  await bus.serve(requests.explain, me, () => ({ belief: null }));
  await bus.serve(requests.close, me, () => ({}));
  return {
    opened,
    announce: () => bus.publish(events.announced, named, { instance, addresses: [here], version: 'test' }),
  };
}

async function setUp() {
  const clock = new VirtualClock();
  let lost = (_message: CarriedMessage): boolean => false;
  const broker = new MemoryBroker({
    timers: clock,
    carry: (message, deliver) => {
      if (!lost(message)) deliver();
    },
  });
  const connect = (role: 'optimizer' | 'orchestrator', name: string): Bus => broker.connect({ role, name });
  const mine = connect('orchestrator', 'o');
  const directory = await OptimizerDirectory.listen(mine, { clock, timers: clock });
  let leads = true;
  const lease = {
    epoch: 7,
    demand: () => {
      if (!leads) throw new ServiceError('service_unavailable', 'another one leads');
    },
  };
  const optimizers = optimizersOverBus(mine, lease, directory, {
    ids: new SequentialIds(),
    clock,
    timers: clock,
  });
  const passed = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.settle();
  };
  return {
    clock,
    directory,
    optimizers,
    passed,
    others: connect('optimizer', 'w'),
    depose: () => (leads = false),
    lose: (is: typeof lost) => (lost = is),
  };
}

it('the orchestrator finds the worker at an address and sends it every kind of request', async () => {
  const { optimizers, others, passed } = await setUp();
  const arrivals: unknown[] = [];
  optimizers.onArrival((addresses) => arrivals.push(addresses));
  const { opened, announce } = await worker(others, 'w1');
  announce();
  announce();
  await passed(10);
  expect(arrivals).toEqual([[here]]);
  await expect(optimizers.describe(here, making)).resolves.toEqual(description);
  const session = await optimizers.open(here, campaign, making, { p_ai: 0.25 });
  expect(opened).toEqual([
    {
      campaign_id: 'c1',
      campaign: 'c',
      session: session.id,
      ...making,
      runtime_params: { p_ai: 0.25 },
      epoch: 7,
    },
  ]);
  await expect(session.tell([])).resolves.toBeUndefined();
  await expect(session.best()).resolves.toEqual([{ 'a.n': 1 }]);
  await expect(session.explain()).resolves.toBeNull();
  await expect(session.configure({ p_ai: 1 })).resolves.toEqual({ p_ai: 1 });
  await expect(session.configure({ p_ai: 2 })).rejects.toMatchObject({ code: 'invalid' });
  await expect(session.close()).resolves.toBeUndefined();
});

it('the orchestrator waits for the first announcement of workers and then names the known addresses', async () => {
  const { optimizers, others, passed } = await setUp();
  const { announce } = await worker(others, 'w1');
  const asked = optimizers.describe(here, making);
  const elsewhere = optimizers.describe('10.0.0.8', making).catch((error: unknown) => error);
  await passed(3_000);
  announce();
  await passed(1);
  await expect(asked).resolves.toEqual(description);
  await passed(3_000);
  await expect(elsewhere).resolves.toMatchObject({
    code: 'optimizer_unavailable',
    message: expect.stringContaining(here),
  });
});

it('the orchestrator abandons pending requests to a worker that leaves or falls silent, and reports the loss once', async () => {
  const { optimizers, others, passed } = await setUp();
  for (const how of ['leaves', 'is silent'] as const) {
    const { announce } = await worker(others, how);
    announce();
    await passed(10);
    const session = await optimizers.open(here, campaign, making, {});
    const lost: string[] = [];
    session.onLost((reason) => lost.push(reason));
    const asked = session.propose([{ number: 1, run: 'r' }], []).catch((error: unknown) => error);
    await passed(10_000);
    announce();
    await passed(15_000);
    expect(lost).toEqual([]);
    if (how === 'leaves') others.publish(events.leaving, named, { instance: how });
    await passed(2_000);
    await expect(asked).resolves.toMatchObject({ code: 'optimizer_unavailable', effect: 'maybe' });
    expect(lost).toEqual([expect.stringContaining(how)]);
    await expect(optimizers.describe(here, making)).rejects.toMatchObject({ code: 'optimizer_unavailable' });
  }
});

it('the orchestrator reports the death of a process to its own session only', async () => {
  const { optimizers, others, passed } = await setUp();
  const { announce } = await worker(others, 'w1');
  announce();
  await passed(10);
  const [first, second] = [
    await optimizers.open(here, campaign, making, {}),
    await optimizers.open(here, { id: 'c2', name: 'd' }, making, {}),
  ];
  const lost: string[] = [];
  first.onLost((reason) => lost.push(`first: ${reason}`));
  second.onLost((reason) => lost.push(`second: ${reason}`));
  const body = { instance: 'w1', campaign_id: 'c2', session: second.id, reason: 'out of memory' };
  others.publish(events.lost, { worker: 'another' }, { ...body, reason: 'a lie' });
  others.publish(events.leaving, { worker: 'another' }, { instance: 'w1' });
  others.publish(events.lost, named, body);
  others.publish(events.lost, named, body);
  await passed(10);
  expect(lost).toEqual(['second: out of memory']);
});

it('the orchestrator uses the worker that appeared last, and sends nothing when another process leads', async () => {
  const { optimizers, others, passed, depose } = await setUp();
  const first = await worker(others, 'w1');
  first.announce();
  await passed(10);
  const second = await worker(others, 'w2');
  second.announce();
  await passed(10);
  first.announce();
  await passed(10);
  expect((await optimizers.open(here, campaign, making, {})).worker).toBe('w2');
  depose();
  await expect(optimizers.describe(here, making)).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(optimizers.open(here, campaign, making, {})).rejects.toMatchObject({ effect: 'none' });
  expect(second.opened).toHaveLength(1);
});

it.each(['request', 'reply'])(
  'the orchestrator sends a request again under its id when its %s was lost',
  async (what) => {
    const { optimizers, others, passed, lose } = await setUp();
    const { announce } = await worker(others, 'w1');
    announce();
    await passed(10);
    const ids: string[] = [];
    await others.subscribe(events.lost, {}, () => undefined);
    await others.serve(requests.best, { instance: 'w1' }, (_, { envelope }) => {
      ids.push(envelope.id);
      return { rows: [] };
    });
    const session = await optimizers.open(here, campaign, making, {});
    let toLose = 1;
    let asked = false;
    lose(({ subject }) => {
      asked ||= subject.endsWith('.best');
      const isIt = asked && subject.startsWith('_INBOX') === (what === 'reply');
      return isIt && toLose-- > 0;
    });
    const best = session.best();
    await passed(leaderTimings.askWorkerAgainMs - 1);
    expect(ids).toHaveLength(what === 'reply' ? 1 : 0);
    await passed(2);
    await expect(best).resolves.toBeDefined();
    expect(new Set(ids).size).toBe(1);
  },
);

it('a stopped orchestrator leaves no timer behind', async () => {
  const { directory, others, passed, clock } = await setUp();
  const { announce } = await worker(others, 'w1');
  announce();
  await passed(10);
  await directory.close();
  expect(clock.pending).toBe(0);
});
