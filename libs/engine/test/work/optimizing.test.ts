import { ServiceError, type CampaignSubmission, type JsonObject, type TaskParameters } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { campaign, finish, here, lab, measure, trials } from '../search-lab.js';
import { ints, open, type TestLab } from '../test-lab.js';

describe('a campaign with an optimizer', () => {
  it('runs what the optimizer proposes, reports the results to it, and stores the best rows', async () => {
    const test = await lab();
    await campaign(test);
    expect(test.task('c_run_1/a').inputParameters).toEqual({ n: 1, m: 7 });
    for (const n of [1, 2, 3]) await measure(test, n);
    expect(test.campaignRow('c')).toMatchObject({
      state: 'completed',
      reason: null,
      optimizer: { best: [{ 'a.score': 97 }], failure: null, runtime_params: { p_ai: 0 } },
    });
    expect(trials(test)).toEqual([1, 2, 3].map((n) => [n, 'measured', n]));
    expect(test.store.rows.trials.get(`${test.campaignRow('c').id}/2`)?.outputs).toEqual({ 'a.score': 98 });
    expect(test.optimizers.session('c')).toMatchObject({
      alive: false,
      told: [1, 2, 3].map((number) => ({
        number,
        state: 'measured',
        inputs: { 'a.n': number },
        outputs: { 'a.score': 100 - number },
      })),
    });
    expect(test.optimizers.toldTwice).toEqual([]);
  });

  it('requests proposals ahead: for startable runs and half as many more, up to its limit', async () => {
    const test = await lab();
    await campaign(test, { max_protocol_runs: 8, max_concurrent_protocol_runs: 4 });
    expect(trials(test).map(([n]) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(test.optimizers.calls.filter(({ kind }) => kind === 'propose')).toMatchObject([
      { numbers: [1, 2, 3, 4, 5, 6] },
    ]);
    expect(test.running()).toHaveLength(4);
    await measure(test, 2);
    expect(trials(test).map(([n]) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(test.running()).toContain('c_run_5/a');
    await finish(test);
    expect(trials(test)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [n, 'measured', n]));
  });

  it('replaces parameters of the run by proposals, and global ones by those of the run', async () => {
    const test = await lab();
    await campaign(test, {
      global_parameters: { a: { m: 7, n: 70 } },
      protocol_run_parameters: [{ a: { m: 8 } }, { a: { n: 90 } }],
      max_concurrent_protocol_runs: 3,
    });
    expect([1, 2, 3].map((n) => test.task(`c_run_${n}/a`).inputParameters)).toEqual([
      { n: 1, m: 8 },
      { n: 90, m: 7 },
      { n: 3, m: 7 },
    ]);
    const given = test.store.rows.trials.get(`${test.campaignRow('c').id}/2`);
    expect(given).toMatchObject({ source: 'given', inputs: { 'a.n': 90 } });
    expect(test.optimizers.session('c').told).toMatchObject([{ number: 2, state: 'proposed' }]);
  });

  it.each([
    ['no optimizer there', 'optimizer_unavailable', { optimizer_ip: '10.0.0.9' }, undefined],
    ['an input nobody supplies', 'invalid', { global_parameters: {} }, 'global_parameters.a.m'],
    ['too long a list', 'invalid', { protocol_run_parameters: [{}, {}, {}, {}] }, 'protocol_run_parameters'],
    [
      'an unknown override',
      'invalid',
      { meta: { optimizer_overrides: { nope: 1 } } },
      'meta.optimizer_overrides.nope',
    ],
    ['overrides that are none', 'invalid', { meta: { optimizer_overrides: 3 } }, 'meta.optimizer_overrides'],
  ])('is refused with %s', async (_, code, more, path) => {
    const test = await lab();
    await expect(campaign(test, more)).rejects.toMatchObject({
      code,
      faults: path === undefined ? [] : [expect.objectContaining({ path })],
      message: path === undefined ? expect.stringContaining(here) : expect.anything(),
    });
    expect(test.store.rows.campaigns.size).toBe(0);
  });

  it.each([
    ['input_names', ['a.k'], 'optimizer.input_names[0]'],
    ['input_names', [], 'optimizer.input_names'],
    ['output_names', ['a.n'], 'optimizer.output_names[0]'],
    ['additional_names', ['b.n'], 'optimizer.additional_names[0]'],
  ])('is refused when its optimizer has %s %s', async (field, names, path) => {
    const test = await lab();
    test.optimizers.description = { ...test.optimizers.description, [field]: names };
    await expect(campaign(test)).rejects.toMatchObject({
      code: 'invalid',
      faults: expect.arrayContaining([expect.objectContaining({ path })]),
    });
  });

  it('is refused with inputs that its protocol does not accept, also in a dry run', async () => {
    const test = await lab();
    const inputs: JsonObject[] = [
      { key: 'a.n', bounds: [0.2, 0.8] },
      { key: 'a.k', values: [1, 2] },
    ];
    test.optimizers.description = {
      ...test.optimizers.description,
      input_names: ['a.n', 'a.k'],
      arguments: { inputs },
    };
    const refused = {
      code: 'invalid',
      faults: [
        { path: 'meta.optimizer_overrides.inputs[1].key', code: 'unknown_input' },
        { path: 'meta.optimizer_overrides.inputs[0].bounds', code: 'bounds' },
      ],
    };
    const submission: CampaignSubmission = {
      name: 'c',
      protocol: 'p',
      max_protocol_runs: 3,
      optimize: true,
      global_parameters: { a: { m: 7 } },
      meta: { optimizer_overrides: { inputs } },
    };
    await expect(test.engine.submissions.tryOut({ kind: 'campaign', submission })).rejects.toMatchObject(
      refused,
    );
    await expect(test.engine.submissions.campaign(submission)).rejects.toMatchObject(refused);
    expect(test.store.rows.campaigns.size).toBe(0);
  });

  it('runs the nearest integers within the bounds, and reports them with the results', async () => {
    const test = await lab();
    test.optimizers.description = {
      ...test.optimizers.description,
      arguments: { inputs: [{ key: 'a.n', bounds: [1.6, 5.4] }] },
    };
    test.optimizers.row = (n) => ({ 'a.n': [1.6, 3.5, 5.4][n - 1]! });
    await campaign(test);
    expect(test.optimizers.session('c').making.integers).toEqual(['a.n', 'a.m']);
    for (const n of [1, 2, 3]) await measure(test, n);
    expect(trials(test)).toEqual([
      [1, 'measured', 2],
      [2, 'measured', 4],
      [3, 'measured', 5],
    ]);
    expect(test.optimizers.session('c').told.map(({ inputs }) => inputs['a.n'])).toEqual([2, 4, 5]);
    expect(test.store.rows.trials.get(`${test.campaignRow('c').id}/1`)?.note).toEqual({ adjusted: true });
  });

  it('describes its protocol to the AI with the values of the campaign, also after a change', async () => {
    const test = await lab();
    await campaign(test, { global_parameters: { a: { m: 7, n: 70 } } });
    const first = test.optimizers.session('c');
    expect(first.making.protocol).toContain('- given: a.m is 7');
    // The optimizer proposes this one.
    expect(first.making.protocol).not.toContain('given: a.n');
    await test.engine.changes.campaign('c', { global_parameters: { a: { m: 8 } } }, 'ada');
    await test.clock.settle();
    expect(first.alive).toBe(false);
    const second = test.optimizers.session('c');
    expect(second.making.protocol).toContain('- given: a.m is 8');
    await test.engine.changes.campaign('c', { global_parameters: { a: { m: 8 } }, priority: 3 }, 'ada');
    await test.clock.settle();
    expect(test.optimizers.session('c')).toBe(second);
    await finish(test);
    expect(trials(test)).toEqual([1, 2, 3].map((n) => [n, 'measured', n]));
  });

  it('fails for a number beyond the bounds of an integer instead of moving it', async () => {
    const test = await lab();
    const snapshot = test.definitions.protocols.get('p')!;
    snapshot.tasks['measure']!.input_parameters['n'] = { type: 'int', desc: '', unit: 'n/a', max: 5 };
    test.optimizers.row = () => ({ 'a.n': 5.6 });
    await campaign(test);
    await test.live(1_000);
    expect(test.campaignRow('c').reason?.message).toContain('6 is above the maximum of 5');
  });

  it('is refused with given rows that its optimizer refuses, each fault with its path', async () => {
    const test = await lab();
    test.optimizers.refuses = ({ a = {} }) =>
      Number(a['n']) > 50
        ? [{ path: 'a.n', code: 'bounds', message: `${String(a['n'])} lies outside [0, 50]` }]
        : [];
    const rows: TaskParameters[] = [{ a: { n: 50 } }, { a: { n: 51 } }, { a: { m: 8 } }];
    await expect(campaign(test, { protocol_run_parameters: rows })).rejects.toMatchObject({
      code: 'invalid',
      faults: [
        { path: 'protocol_run_parameters[1].a.n', code: 'bounds', message: '51 lies outside [0, 50]' },
      ],
    });
    expect(test.store.rows.campaigns.size).toBe(0);
    const taken = rows.filter((_, index) => index !== 1);
    await campaign(test, { protocol_run_parameters: taken });
    expect(test.running()).toEqual(['c_run_1/a']);

    const change = (own: TaskParameters[]) =>
      test.engine.changes.campaign('c', { protocol_run_parameters: own }, 'ada');
    await expect(change([...taken, { a: { n: 52 } }])).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'protocol_run_parameters[2].a.n', code: 'bounds' }],
    });
    expect(test.campaignRow('c').protocolRunParameters).toEqual(taken);
    await change([...taken, { a: { n: 9 } }]);
    expect(test.campaignRow('c').protocolRunParameters).toHaveLength(3);
  });

  it('is refused when its optimizer cannot be created', async () => {
    const test = await lab();
    test.optimizers.before = ({ kind }) => {
      if (kind === 'describe') throw new ServiceError('optimizer_error', 'no such beta');
    };
    await expect(campaign(test)).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'optimize', message: expect.stringContaining('no such beta') }],
    });
  });

  it('without a limit continues until it is cancelled', async () => {
    const test = await lab();
    await campaign(test, { max_protocol_runs: 0 });
    for (let n = 1; n <= 10; n += 1) await measure(test, n);
    expect(test.running()).toEqual(['c_run_11/a']);
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    expect(test.campaignRow('c').state).toBe('cancelled');
    expect(test.optimizers.session('c').alive).toBe(false);
  });
});

describe('a trial', () => {
  it('belongs to one run permanently, and no other run gets its row', async () => {
    const test = await lab();
    await campaign(test, {
      max_protocol_runs: 5,
      max_concurrent_protocol_runs: 2,
      on_run_failure: 'continue',
    });
    await test.fail('c_run_1/a');
    await test.engine.work.cancelProtocolRun('c_run_2');
    await test.clock.settle();
    await measure(test, 4);
    await measure(test, 3);
    await measure(test, 5);
    expect(trials(test)).toEqual([
      [1, 'failed', 1],
      [2, 'failed', 2],
      [3, 'measured', 3],
      [4, 'measured', 4],
      [5, 'measured', 5],
    ]);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsFailed: 1 });
    expect(test.optimizers.session('c').told.map(({ number, state }) => [number, state])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [4, 'measured'],
      [3, 'measured'],
      [5, 'measured'],
    ]);
  });

  it('continues with its run when the campaign is resumed, and is reported with the new result', async () => {
    const test = await lab();
    await campaign(test, { max_concurrent_protocol_runs: 2 });
    await measure(test, 2);
    await test.fail('c_run_1/a');
    expect(test.campaignRow('c').state).toBe('failed');
    expect(trials(test)).toEqual([
      [1, 'failed', 1],
      [2, 'measured', 2],
      [3, 'failed', 3],
    ]);
    await test.engine.work.resumeCampaign('c', 'ada');
    await test.clock.settle();
    await finish(test);
    expect(trials(test)).toEqual([1, 2, 3].map((n) => [n, 'measured', n]));
    expect(test.campaignRow('c').state).toBe('completed');
    expect(test.optimizers.sessions).toHaveLength(2);
    const states = test.optimizers.session('c').told.map(({ number, state }) => [number, state]);
    expect(states.slice(0, 3)).toEqual([
      [1, 'running'],
      [2, 'measured'],
      [3, 'running'],
    ]);
    expect(test.optimizers.toldTwice).toEqual([]);
  });

  it('fails when its run completed without a numeric output', async () => {
    const test = await lab();
    test.taskType('other', { input_parameters: ints('k') });
    test.protocol('q', [
      { name: 'b', type: 'other', parameters: { k: open }, policy: { on_failure: 'skip' } },
      {
        name: 'a',
        type: 'measure',
        parameters: { n: open, m: open },
        needs: [],
        policy: { on_failure: 'skip' },
      },
    ]);
    const snapshot = test.definitions.protocols.get('q');
    if (snapshot !== undefined) snapshot.protocol.optimizer = { hash: 'o', package: 'l', source: 'o.ts' };
    await campaign(test, {
      protocol: 'q',
      max_protocol_runs: 1,
      global_parameters: { a: { m: 1 }, b: { k: 2 } },
    });
    await test.fail('c_run_1/a');
    await test.complete('c_run_1/b');
    expect(test.runState('c_run_1')).toBe('completed');
    expect(trials(test)).toEqual([[1, 'failed', 1]]);
  });

  it('omits values that do not fit into a message', async () => {
    const test = await lab();
    test.taskType('measure', {
      input_parameters: ints('n', 'm'),
      output_parameters: {
        score: { type: 'float', desc: '', unit: 'n/a' },
        text: { type: 'str', desc: '' },
      },
    });
    test.protocol('p', [{ name: 'a', type: 'measure', parameters: { n: open, m: open } }]);
    const snapshot = test.definitions.protocols.get('p');
    if (snapshot !== undefined) snapshot.protocol.optimizer = { hash: 'o', package: 'l', source: 'o.ts' };
    test.optimizers.description = { ...test.optimizers.description, additional_names: ['a.text', 'a.m'] };
    await campaign(test, { max_protocol_runs: 1 });
    await test.complete('c_run_1/a', { score: 1, text: 'x'.repeat(20_000) });
    expect([...test.store.rows.trials.values()]).toMatchObject([{ state: 'measured' }]);
    expect([...test.store.rows.trials.values()].map(({ additional }) => additional)).toEqual([{ 'a.m': 7 }]);
  });

  it('contains the additional values of the optimizer', async () => {
    const test = await lab();
    test.optimizers.description = { ...test.optimizers.description, additional_names: ['a.m', 'a.score'] };
    await campaign(test, { max_protocol_runs: 1 });
    await measure(test, 1, 5);
    expect([...test.store.rows.trials.values()]).toMatchObject([{ additional: { 'a.m': 7, 'a.score': 5 } }]);
  });
});

describe('an unreachable optimizer', () => {
  it.each(['open', 'tell', 'propose', 'best'] as const)(
    'at %s makes the campaign wait, with a reason, and gets all trials again',
    async (kind) => {
      const test = await lab();
      let down = false;
      test.optimizers.before = (call) => {
        if (call.kind !== kind || down || (kind === 'propose' && call.numbers[0] === 1)) return;
        down = true;
        test.optimizers.crash(here);
      };
      await campaign(test, { max_protocol_runs: 4 });
      await finishSome(test);
      expect(down).toBe(true);
      expect(test.campaignRow('c')).toMatchObject({
        state: 'running',
        reason: { code: 'waiting_for_optimizer', message: expect.stringContaining(here) },
      });
      await expect(test.engine.optimizers.read('c', false)).resolves.toMatchObject({
        state: 'waiting',
        reason: { code: 'waiting_for_optimizer' },
        session: null,
      });
      test.optimizers.boot(here);
      await test.clock.settle();
      expect(test.campaignRow('c').reason).toBeNull();
      await finish(test);
      expect(test.campaignRow('c').state).toBe('completed');
      expect(trials(test)).toEqual([1, 2, 3, 4].map((n) => [n, 'measured', n]));
      const measured = test.optimizers.session('c').told.filter(({ state }) => state === 'measured');
      expect(measured.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4]);
      expect(test.optimizers.toldTwice).toEqual([]);
    },
  );

  it('after a crash gets a new session after a second, without a change of the campaign', async () => {
    const test = await lab();
    await campaign(test);
    test.optimizers.lose(test.optimizers.session('c'));
    await test.clock.settle();
    expect(test.optimizers.sessions).toHaveLength(1);
    await test.live(1_000);
    expect(test.optimizers.sessions).toHaveLength(2);
    await finish(test);
    expect(trials(test)).toEqual([1, 2, 3].map((n) => [n, 'measured', n]));
  });

  it('is tried again at growing intervals of at most 30 s', async () => {
    const test = await lab();
    await campaign(test);
    test.optimizers.crash(here);
    test.optimizers.lose(test.optimizers.session('c'));
    await test.live(300_000);
    const tries = test.optimizers.calls.filter(({ kind }) => kind === 'open').length - 1;
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(16);
  });

  it('does not keep a run from ending', async () => {
    const test = await lab();
    await campaign(test, { max_concurrent_protocol_runs: 2 });
    test.optimizers.crash(here);
    await measure(test, 1);
    await measure(test, 2);
    expect(test.running()).toEqual(['c_run_3/a']);
  });
});

/** Completes runs until none is left. */
async function finishSome(test: TestLab): Promise<void> {
  for (let [next] = test.running(); next !== undefined; [next] = test.running())
    await measure(test, Number(/\d+/.exec(next)?.[0]));
}

describe('a session', () => {
  it('is closed when it opens after the end of its campaign', async () => {
    const test = await lab();
    let arrive = (): void => undefined;
    test.optimizers.before = ({ kind }) =>
      kind === 'open' ? new Promise<void>((resolve) => (arrive = resolve)) : undefined;
    await campaign(test);
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    expect(test.campaignRow('c').state).toBe('cancelled');
    arrive();
    await test.clock.settle();
    expect(test.optimizers.session('c').alive).toBe(false);
  });
});

describe('an error of the optimizer', () => {
  it('without a further row lets existing trials run and report, and then fails the campaign', async () => {
    const test = await lab();
    const row = test.optimizers.row;
    test.optimizers.row = (n, overrides) => {
      if (n > 4) throw new Error('the grid is exhausted');
      return row(n, overrides);
    };
    await campaign(test, { max_protocol_runs: 9, max_concurrent_protocol_runs: 2 });
    await finish(test);
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      reason: { code: 'optimizer_error', message: 'the grid is exhausted' },
      runsCompleted: 4,
      optimizer: { best: [{ 'a.score': 96 }], failure: { code: 'optimizer_error' } },
    });
    expect(trials(test)).toEqual([1, 2, 3, 4].map((n) => [n, 'measured', n]));
    test.optimizers.row = row;
    await test.engine.work.resumeCampaign('c', 'ada');
    await test.clock.settle();
    await finish(test);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 9 });
    expect(trials(test)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [n, 'measured', n]));
  });

  it('in an invalid proposal fails the campaign, and no run uses the proposal', async () => {
    const test = await lab();
    test.optimizers.row = () => ({ 'a.n': 'much' });
    await campaign(test);
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      reason: { code: 'optimizer_error', message: expect.stringContaining('a.n') },
      runsStarted: 0,
    });
  });

  it('in a report lets current runs end, and then fails the campaign', async () => {
    const test = await lab();
    test.optimizers.before = ({ kind }) => {
      if (kind === 'tell') throw new ServiceError('optimizer_error', 'cannot fit that');
    };
    await campaign(test, { max_protocol_runs: 6, max_concurrent_protocol_runs: 2 });
    await finish(test);
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      reason: { message: 'cannot fit that' },
      optimizer: { best: [] },
    });
    expect(trials(test).every(([, state]) => state === 'measured')).toBe(true);
  });

  it('in a new session fails the campaign as well', async () => {
    const test = await lab();
    await campaign(test);
    test.optimizers.before = ({ kind }) => {
      if (kind === 'open') throw new ServiceError('optimizer_error', 'its file is gone');
    };
    test.optimizers.lose(test.optimizers.session('c'));
    await finish(test);
    expect(test.campaignRow('c')).toMatchObject({ state: 'failed', reason: { message: 'its file is gone' } });
  });
});

describe('a change of the leader at any commit', () => {
  const outcome = (test: TestLab) => [test.campaignRow('c').state, trials(test)];

  async function play(
    dieAt: number,
    answer: 'refused' | 'lost',
  ): Promise<{ test: TestLab; commits: number }> {
    const test = await lab();
    let commits = 0;
    const die = (): void => {
      commits += 1;
      if (commits === dieAt) throw new ServiceError('stale_message', 'somebody else leads');
    };
    if (answer === 'refused') test.store.beforeCommit = die;
    else test.store.afterCommit = die;
    const submit = () =>
      campaign(test, {
        max_protocol_runs: 5,
        max_concurrent_protocol_runs: 2,
        resume: true,
      });
    await submit().catch(() => undefined);
    for (let round = 0; round < 40; round += 1) {
      if (test.deposed > 0) {
        test.deposed = 0;
        await test.start();
        await test.agents.register('svc_computer');
        await test.clock.settle();
        if (test.store.rows.campaigns.size === 0) await submit();
      }
      if (test.store.rows.campaigns.size > 0 && test.campaignRow('c').endedAt !== null) break;
      const [next] = test.running();
      if (next === undefined) await test.live(1_000);
      else await measure(test, Number(/\d+/.exec(next)?.[0])).catch(() => undefined);
    }
    return { test, commits };
  }

  it.each(['refused', 'lost'] as const)(
    'with its answer %s leaves the trials as without a change of the leader',
    async (answer) => {
      const { test: calm, commits } = await play(0, answer);
      expect(outcome(calm)).toEqual(['completed', [1, 2, 3, 4, 5].map((n) => [n, 'measured', n])]);
      expect(commits).toBeGreaterThan(10);
      for (let dieAt = 1; dieAt <= commits; dieAt += 1) {
        const { test } = await play(dieAt, answer);
        expect([dieAt, ...outcome(test)]).toEqual([dieAt, ...outcome(calm)]);
        expect(test.optimizers.toldTwice).toEqual([]);
        const { told } = test.optimizers.session('c');
        expect(
          new Set(told.flatMap(({ number, state }) => (state === 'measured' ? [number] : []))).size,
        ).toBe(5);
      }
    },
  );
});
