import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive, Laboratory, measured } from './laboratory.js';
import { gridModule } from './modules.js';
import { languages } from './python-modules.js';

let lab: Laboratory;

beforeAll(async () => {
  lab = await Laboratory.open();
});
afterAll(() => lab.close());

it('two workers on two addresses serve two campaigns', async () => {
  const [here, there] = await Promise.all([
    lab.start({ SVC_OPTIMIZER_IP: '127.0.0.1' }),
    lab.start({ SVC_OPTIMIZER_IP: '127.0.0.2, 127.0.0.3' }),
  ]);
  const at = (instance: string) => lab.announced.find((each) => each.instance === instance)?.addresses;
  await expect.poll(() => at(here.instance)).toEqual(['127.0.0.1']);
  await expect.poll(() => at(there.instance)).toEqual(['127.0.0.2', '127.0.0.3']);
  const [one, two] = await Promise.all([
    lab.open(here, 'one', gridModule()),
    lab.open(there, 'two', gridModule({ descending: true })),
  ]);
  const [ofOne, ofTwo] = await Promise.all([one.propose([1]), two.propose([1])]);
  expect(ofOne.trials[0]?.inputs).toEqual({ 'mix.a': 0, 'mix.b': 0 });
  expect(ofTwo.trials[0]?.inputs).toEqual({ 'mix.a': 5, 'mix.b': 5 });
});

it('an optimizer above its memory limit ends only its own session', async () => {
  const worker = await lab.start({ SVC_OPTIMIZER_MEMORY_MB: '96' });
  const [greedy, modest] = await Promise.all([
    lab.open(worker, 'greedy', gridModule({ mode: 'eat' })),
    lab.open(worker, 'modest', gridModule()),
  ]);
  await expect(greedy.propose([1])).rejects.toMatchObject({ code: 'optimizer_unavailable' });
  await expect
    .poll(() => lab.lost.filter(({ campaign_id }) => campaign_id === 'greedy'))
    .toEqual([expect.objectContaining({ reason: expect.stringMatching(/^it ended with/) as string })]);
  expect((await modest.propose([1])).trials).toHaveLength(1);
});

it('a worker refuses invalid addresses', async () => {
  await expect(lab.start({ SVC_OPTIMIZER_IP: 'bench_b' })).rejects.toThrow(
    /SVC_OPTIMIZER_IP: must be IP addresses, for example 10\.0\.0\.7/,
  );
});

it.each(languages)(
  'a killed worker ends its optimizers in $name, and another worker continues',
  async ({ name, gridModule }) => {
    const killed = await lab.start({ SVC_OPTIMIZER_CALL_TIMEOUT_S: '60' });
    const session = await lab.open(killed, `moving ${name}`, gridModule());
    const { trials } = await session.propose([1, 2]);
    const looping = await lab.open(killed, `looping ${name}`, gridModule({ mode: 'loop on the second' }));
    await looping.propose([1]);
    const pids = [(await session.explain()).pid, (await looping.explain()).pid];
    // Nobody receives the answer. The process computes until it notices that its worker is gone.
    looping.propose([2]).catch(() => undefined);
    process.kill(killed.child.pid, 'SIGKILL');
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
    const next = await lab.start();
    const history = trials.map((trial) => measured(trial, trial.number));
    const replayed = await lab.open(next, `moving ${name}`, gridModule(), { session: 's2' });
    await replayed.tell(history);
    expect((await replayed.propose([3])).trials[0]?.inputs).toEqual({ 'mix.a': 0, 'mix.b': 2 });
  },
);
