import type { Trial } from '@lab/contracts';
import { Sealing, Secret } from '@lab/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, Laboratory, measured, secretsKey, type RunningWorker } from './laboratory.js';
import { mistakes } from './modules.js';
import { languages } from './python-modules.js';

const given = (number: number, a: number, b: number): Trial => ({
  number,
  run: `c/${number}`,
  source: 'given',
  state: 'running',
  inputs: { 'mix.a': a, 'mix.b': b },
  outputs: null,
  additional: {},
  note: {},
});
describe.each(languages)('an optimizer in $name', ({ gridModule, mistaken, asynchronous, words }) => {
  let lab: Laboratory;
  let worker: RunningWorker;

  beforeAll(async () => {
    lab = await Laboratory.open();
    worker = await lab.start({ SVC_OPTIMIZER_CALL_TIMEOUT_S: '5' });
  });
  afterAll(() => lab.close());

  const said = (text: string) => expect.stringMatching(`^${text}${words.place}$`) as string;
  const lostOf = (campaign: string) => lab.lost.filter(({ campaign_id }) => campaign_id === campaign);

  describe('the description of an optimizer', () => {
    it('contains its inputs, outputs and runtime parameters for its arguments', async () => {
      expect(await lab.describe(worker, gridModule({ mode: null }))).toEqual({
        input_names: ['mix.a', 'mix.b'],
        output_names: ['score.loss'],
        additional_names: ['score.picture'],
        fields: [
          { key: 'descending', type: 'checkbox', default: false, runtime: true },
          { key: 'mode', type: 'text', default: null, runtime: false },
        ],
        runtime_params: { descending: false },
        arguments: {
          inputs: [
            { key: 'mix.a', values: [0, 1, 2, 3, 4, 5] },
            { key: 'mix.b', values: [0, 1, 2, 3, 4, 5] },
          ],
          mode: null,
        },
      });
    });

    it('applies overrides to the arguments and sets runtime parameters among them', async () => {
      const found = await lab.describe(worker, gridModule(), { mode: 'slow', descending: true });
      expect(found.arguments).toMatchObject({ mode: 'slow' });
      expect(found.runtime_params).toEqual({ descending: true });
    });

    it('refuses an unknown override and names the known ones', async () => {
      await expect(lab.describe(worker, gridModule(), { speed: 9 })).rejects.toMatchObject({
        code: 'invalid',
        faults: [
          {
            path: 'optimizer_overrides.speed',
            code: 'unknown_field',
            hint: 'It has inputs, outputs, constraints, descending, mode',
          },
        ],
      });
    });

    it('refuses a runtime parameter for the reason that its class gives', async () => {
      await expect(lab.describe(worker, gridModule(), { descending: 'yes' })).rejects.toMatchObject({
        code: 'invalid',
        faults: [{ path: 'optimizer_overrides.descending', message: 'descending is not true or false' }],
      });
    });

    it('names the faults of arguments and of overrides', async () => {
      await expect(
        lab.describe(worker, gridModule({ mode: 'refuse the inputs' }), { inputs: [] }),
      ).rejects.toMatchObject({
        code: 'invalid',
        faults: [{ path: 'optimizer_overrides.inputs[0].values' }],
      });
      await expect(lab.describe(worker, gridModule({ mode: 'refuse the inputs' }))).rejects.toMatchObject({
        code: 'invalid',
        faults: [{ path: 'inputs[0].values' }],
      });
    });

    it.each(mistakes)('reports that the module %s', async (mistake) => {
      const [module, message] = mistaken[mistake];
      await expect(lab.describe(worker, module)).rejects.toMatchObject({
        code: 'optimizer_error',
        message: expect.stringMatching(message) as string,
      });
    });

    it('accepts a factory that needs time', async () => {
      expect((await lab.describe(worker, asynchronous)).input_names).toEqual(['mix.a', 'mix.b']);
    });
  });

  describe('a session', () => {
    it('proposes rows for runs, reports each state once in the order of numbers, and knows the best', async () => {
      const session = await lab.open(worker, 'whole', gridModule());
      const { trials } = await session.propose([1, 2, 3]);
      expect(trials.map(({ inputs }) => inputs)).toEqual([
        { 'mix.a': 0, 'mix.b': 0 },
        { 'mix.a': 0, 'mix.b': 1 },
        { 'mix.a': 0, 'mix.b': 2 },
      ]);
      expect(trials[0]).toMatchObject({
        run: 'c/1',
        source: 'ai',
        state: 'proposed',
        note: { journal: 'a guess' },
      });
      expect(trials[1]).toMatchObject({ source: 'optimizer', note: {}, outputs: null });
      const [one, two, three] = trials as [Trial, Trial, Trial];
      await session.tell([{ ...one, state: 'running' }]);
      expect(await session.tell([measured(three, 3), measured(one, 1)])).toEqual({ measured: 2 });
      expect((await session.explain()).additional).toEqual([
        { 'score.picture': 'c/3.png' },
        { 'score.picture': 'c/1.png' },
      ]);
      expect(await session.tell([measured(one, 1), { ...two, state: 'failed' }])).toEqual({ measured: 2 });
      await session.tell([{ ...two, state: 'running' }, given(4, 5, 5)]);
      const { told } = await session.explain();
      expect(told).toEqual(['measured c/1,c/3', 'failed c/2', 'started c/4']);
      expect(await session.best()).toEqual({ rows: [{ 'mix.a': 0, 'mix.b': 0, 'score.loss': 1 }] });
    });

    it('gives a run the same row again, and names again the insights that it used', async () => {
      const session = await lab.open(worker, 'again', gridModule());
      const insight = { id: 'i1', text: 'try the corner', by: 'ana', at: 1 };
      const first = await session.propose([1, 2], [insight]);
      expect(first.insights_used).toEqual(['i1']);
      expect(await session.propose([1, 2], [])).toEqual(first);
      const more = await session.propose([2, 3], []);
      expect(more.trials[0]).toEqual(first.trials[1]);
      expect(more.trials[1]?.inputs).toEqual({ 'mix.a': 0, 'mix.b': 2 });
    });

    it('proposes after a replay the same rows as its predecessor', async () => {
      const session = await lab.open(worker, 'replayed', gridModule());
      const { trials } = await session.propose([1, 2, 3, 4]);
      const [one, two, three, four] = trials as [Trial, Trial, Trial, Trial];
      const history = [
        measured(one, 1),
        { ...two, state: 'failed' as const },
        { ...three, state: 'running' as const },
        four,
      ];
      await session.tell(history);
      const uninterrupted = await session.propose([5, 6]);
      const next = await lab.open(worker, 'replayed', gridModule(), { session: 's2' });
      await next.tell(history);
      expect(await next.propose([5, 6])).toEqual(uninterrupted);
      expect((await next.explain()).told).toEqual(['measured c/1', 'failed c/2', 'started c/3,c/4']);
      await expect(session.propose([7])).rejects.toMatchObject({ code: 'stale_message' });
      expect(lostOf('replayed')).toEqual([]);
    });

    it('begins with the earlier runtime parameters, without unknown ones', async () => {
      const session = await lab.open(worker, 'resumed', gridModule(), {
        runtime_params: { descending: true, gone: 3 },
      });
      expect(session.description.runtime_params).toEqual({ descending: true });
      expect((await session.propose([1])).trials[0]?.inputs).toEqual({ 'mix.a': 5, 'mix.b': 5 });
    });

    it('changes runtime parameters, or none when one is not allowed', async () => {
      const session = await lab.open(worker, 'configured', gridModule());
      expect(await session.configure({ descending: true })).toEqual({
        runtime_params: { descending: true },
      });
      await expect(session.configure({ descending: 'yes' })).rejects.toMatchObject({
        code: 'invalid',
        faults: [{ path: 'descending' }],
      });
      await expect(session.configure({ descending: false, speed: 1 })).rejects.toMatchObject({
        code: 'invalid',
        faults: [{ path: 'speed', hint: 'It has descending' }],
      });
      expect(await session.configure({})).toEqual({ runtime_params: { descending: true } });
    });

    it('skips given inputs that the optimizer refuses, and continues', async () => {
      const session = await lab.open(worker, 'odd', gridModule());
      expect(await session.tell([measured(given(1, 9, 9), 1), measured(given(2, 1, 1), 2)])).toEqual({
        measured: 1,
      });
      await expect.poll(() => worker.lines.join('\n')).toContain('the optimizer learns nothing from c/1');
    });

    it('fails with the error that the author threw, and continues', async () => {
      const session = await lab.open(worker, 'throwing', gridModule({ mode: 'throw' }));
      await expect(session.propose([1])).rejects.toMatchObject({
        code: 'optimizer_error',
        message: said('cannot invert the matrix'),
      });
      expect(await session.tell([measured(given(1, 1, 1), 1)])).toEqual({ measured: 1 });
    });

    it('reports that nothing is left to propose, and still accepts results', async () => {
      const session = await lab.open(worker, 'exhausted', gridModule());
      const all = Array.from({ length: 36 }, (_, i) => i + 1);
      const { trials } = await session.propose(all);
      expect(new Set(trials.map(({ inputs }) => JSON.stringify(inputs))).size).toBe(36);
      await expect(session.propose([37])).rejects.toMatchObject({
        code: 'optimizer_error',
        message: said('grid exhausted: 0 of 36 points remain'),
      });
      expect(await session.tell(trials.map((trial) => measured(trial, trial.number)))).toEqual({
        measured: 36,
      });
    });

    it.each([
      ['no rows', `sample returned ${words.aNumber}, not a list of rows`],
      ['few', 'sample(2) returned 0 rows'],
      [
        'not finite',
        `Row 0 of sample(2) has ${words.notFinite} as mix.a: use a finite number, a text, ${words.booleans}`,
      ],
      ['column missing', 'Row 0 of sample(2) lacks the input mix.b'],
      [
        'column too many',
        'Row 0 of sample(2) has a column mix.c, which is no input; inputs are mix.a, mix.b',
      ],
    ])('refuses a table with %s', async (mode, message) => {
      const session = await lab.open(worker, `table ${mode}`, gridModule({ mode }));
      await expect(session.propose([1, 2])).rejects.toMatchObject({ code: 'optimizer_error', message });
    });

    it('has a unique name and does not replace a session of a later leader', async () => {
      const first = await lab.open(worker, 'leaders', gridModule(), { session: 'a', epoch: 3 });
      const { pid } = await first.explain();
      expect(
        (await (await lab.open(worker, 'leaders', gridModule(), { session: 'a', epoch: 3 })).explain()).pid,
      ).toBe(pid);
      await expect(
        lab.open(worker, 'leaders', gridModule(), { session: 'b', epoch: 2 }),
      ).rejects.toMatchObject({
        code: 'stale_message',
      });
      const next = await lab.open(worker, 'leaders', gridModule(), { session: 'b', epoch: 4 });
      await expect(first.best()).rejects.toMatchObject({ code: 'stale_message' });
      await expect.poll(() => isAlive(pid)).toBe(false);
      const { pid: nextPid } = await next.explain();
      await next.close();
      await next.close();
      await expect.poll(() => isAlive(nextPid)).toBe(false);
      await expect(next.best()).rejects.toMatchObject({ code: 'stale_message' });
      expect(lostOf('leaders')).toEqual([]);
    });
  });

  describe('a faulty process', () => {
    it.each([
      ['computes for ever', 'loop', /gave no answer to "propose" within 5 s/],
      ['exits', 'exit', /exit code 9/],
    ])('which %s ends only its own session', async (name, mode, reason) => {
      const healthy = await lab.open(worker, `beside ${mode}`, gridModule());
      const session = await lab.open(worker, name, gridModule({ mode }));
      await expect(session.propose([1])).rejects.toMatchObject({ code: 'optimizer_unavailable' });
      await expect
        .poll(() => lostOf(name).map((each) => each.reason))
        .toEqual([expect.stringMatching(reason)]);
      await expect(session.best()).rejects.toMatchObject({ code: 'stale_message' });
      expect((await healthy.propose([1])).trials).toHaveLength(1);
    });

    it('is reported as lost without a request: after a kill and after an error outside of a call', async () => {
      const killed = await lab.open(worker, 'killed', gridModule());
      process.kill((await killed.explain()).pid, 'SIGKILL');
      await expect.poll(() => lostOf('killed')).toMatchObject([{ session: 's1', reason: /SIGKILL/ }]);
      const stray = await lab.open(worker, 'stray', gridModule({ mode: 'stray' }));
      await stray.propose([1]);
      await expect.poll(() => lostOf('stray')).toHaveLength(1);
      // The log and the messages of the worker come by different ways.
      await expect
        .poll(() => worker.lines.join('\n'))
        .toMatch(/an error was (thrown|raised) outside a call: (Runtime)?Error: too late/);
    });

    it('receives no other request while it computes', async () => {
      const session = await lab.open(worker, 'slow', gridModule({ mode: 'slow' }));
      const order: string[] = [];
      const propose = session.propose([1]).then(() => order.push('propose'));
      const configure = session.configure({ descending: true }).then(() => order.push('configure'));
      await Promise.all([propose, configure]);
      expect(order).toEqual(['propose', 'configure']);
    });
  });

  describe('a key', () => {
    const canary = 'sk-canary-0123456789abcdef';

    it('reaches the optimizer, and no output of the optimizer contains it', async () => {
      const sealed = new Sealing(new Secret(secretsKey)).seal(canary);
      const module = (mode: string) => gridModule({ mode, ai_api_key: null });
      const overrides = { ai_api_key: sealed };
      const described = await lab.describe(worker, module('print the key'), overrides);
      expect(described.arguments).toMatchObject({ ai_api_key: '***' });
      const printing = await lab.open(worker, 'printing', module('print the key'), { overrides });
      expect((await printing.explain()).key_length).toBe(canary.length);
      await printing.propose([1]);
      await expect.poll(() => worker.lines.join('\n')).toContain('the key is ***');
      const throwing = await lab.open(worker, 'keyed', module('throw the key'), { overrides });
      await expect(throwing.propose([1])).rejects.toMatchObject({
        message: said('401 for \\*\\*\\*'),
      });
      expect(worker.lines.join('\n')).not.toContain(canary);
    });

    it('that another key has encrypted is refused', async () => {
      const sealed = new Sealing(new Secret('some other key of a gateway far away')).seal(canary);
      await expect(
        lab.describe(worker, gridModule({ ai_api_key: null }), { ai_api_key: sealed }),
      ).rejects.toMatchObject({
        code: 'optimizer_unavailable',
        message: expect.stringContaining('SVC_SECRETS_KEY') as string,
      });
    });
  });
});
