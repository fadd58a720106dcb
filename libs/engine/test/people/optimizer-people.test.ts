import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { campaign, finish, lab, measure, trials } from '../search-lab.js';

describe('people and the optimizer', () => {
  it('change its parameters, which outlive its session, and a refused change has no effect', async () => {
    const test = await lab();
    await campaign(test);
    const { optimizers } = test.engine;
    await expect(optimizers.configure('c', 'ada', { p_ai: 0.25 })).resolves.toEqual({
      runtime_params: { p_ai: 0.25, p_bayesian: 0.75, descending: false },
    });
    await expect(optimizers.configure('c', 'ada', { descending: 3 })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(test.campaignRow('c').optimizer?.runtime_params).toMatchObject({ p_ai: 0.25, descending: false });
    test.optimizers.lose(test.optimizers.session('c'));
    await test.clock.settle();
    await expect(optimizers.configure('c', 'ada', { p_ai: 1 })).rejects.toMatchObject({
      code: 'optimizer_unavailable',
    });
    await test.live(1_000);
    expect(test.optimizers.session('c').runtimeParams).toMatchObject({ p_ai: 0.25, p_bayesian: 0.75 });
    expect(test.store.audit.map(({ action, by }) => [action, by])).toEqual([['optimizer.configure', 'ada']]);
    await expect(optimizers.configure('d', 'ada', {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('change its parameters right after the submission, waiting for its opening', async () => {
    const test = await lab();
    let made = (): void => undefined;
    test.optimizers.before = ({ kind }) =>
      kind === 'open' ? new Promise<void>((resolve) => (made = resolve)) : undefined;
    await campaign(test);
    const configured = test.engine.optimizers.configure('c', 'ada', { p_ai: 0.25 });
    await test.clock.settle();
    made();
    await expect(configured).resolves.toMatchObject({ runtime_params: { p_ai: 0.25 } });
    expect(test.optimizers.session('c').runtimeParams).toMatchObject({ p_ai: 0.25 });
  });

  it('get an error when it cannot be created, or not in time', async () => {
    const test = await lab();
    let made = (): void => undefined;
    test.optimizers.before = ({ kind }) =>
      kind === 'open' ? new Promise<void>((resolve) => (made = resolve)) : undefined;
    await campaign(test);
    const late = test.engine.optimizers.configure('c', 'ada', { p_ai: 1 });
    const refused = expect(late).rejects.toMatchObject({ code: 'optimizer_unavailable', effect: 'none' });
    await test.live(26_000);
    await refused;
    const lost = test.engine.optimizers.configure('c', 'ada', { p_ai: 1 });
    const told = expect(lost).rejects.toMatchObject({ code: 'optimizer_unavailable' });
    await test.clock.settle();
    test.optimizers.before = () => {
      throw new ServiceError('optimizer_unavailable', 'the worker left');
    };
    test.optimizers.after = test.optimizers.before;
    made();
    await test.clock.settle();
    await told;
  });

  it('cause a new session when it is unknown whether a change has reached it', async () => {
    const test = await lab();
    await campaign(test);
    test.optimizers.after = ({ kind }) => {
      if (kind === 'configure') throw new ServiceError('deadline_exceeded', 'no answer', { effect: 'maybe' });
    };
    await expect(test.engine.optimizers.configure('c', 'ada', { p_ai: 1 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await test.clock.settle();
    expect(test.optimizers.sessions).toHaveLength(2);
    expect(test.optimizers.session('c').runtimeParams).toMatchObject({ p_ai: 0 });
  });

  it('leave insights, which each proposal receives until one has used them, also after a restart', async () => {
    const test = await lab();
    const given: string[][] = [];
    test.optimizers.uses = (insights) => {
      given.push(insights.map(({ text }) => text));
      return given.length < 4 ? [] : insights.map(({ id }) => id);
    };
    await campaign(test, { max_protocol_runs: 5 });
    await test.engine.optimizers.addInsight('c', 'ada', 'less blue');
    await measure(test, 1);
    await test.engine.stop();
    await test.start();
    await test.agents.register('svc_computer');
    await test.clock.settle();
    await finish(test);
    expect(given).toEqual([[], ['less blue'], ['less blue'], ['less blue']]);
    expect(test.campaignRow('c').optimizer?.insights).toMatchObject([
      { text: 'less blue', by: 'ada', used: true },
    ]);
  });

  it('resume with overrides, which replace later settings but not the search space', async () => {
    const test = await lab();
    await campaign(test, { meta: { optimizer_overrides: { p_ai: 1, step: 2 } } });
    expect(test.optimizers.session('c').making.overrides).toEqual({ p_ai: 1, step: 2 });
    await test.engine.optimizers.configure('c', 'ada', { p_ai: 0.5, descending: true });
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    await expect(test.engine.work.resumeCampaign('c', 'ada', { inputs: [] })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'optimizer_overrides.inputs' }],
    });
    await expect(test.engine.work.resumeCampaign('c', 'ada', { nope: 1 })).rejects.toMatchObject({
      faults: [{ path: 'optimizer_overrides.nope' }],
    });
    await test.engine.work.resumeCampaign('c', 'ada', { p_bayesian: 0.75, step: 10 });
    await test.clock.settle();
    expect(test.optimizers.session('c')).toMatchObject({
      runtimeParams: { p_bayesian: 0.75, p_ai: 0.25, descending: true },
      making: { overrides: { p_bayesian: 0.75, step: 10 } },
    });
    await finish(test);
    expect(trials(test)).toEqual([
      [1, 'measured', 2],
      [2, 'measured', 4],
      [3, 'measured', 30],
    ]);
  });

  it('pause and resume a campaign with overrides, which open a new session', async () => {
    const test = await lab();
    await campaign(test, { max_protocol_runs: 6 });
    await test.engine.work.pauseCampaign('c', 'ada');
    await measure(test, 1);
    expect(test.running()).toEqual([]);
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'p',
      max_protocol_runs: 6,
      resume: true,
      meta: { optimizer_overrides: { step: 10 } },
    });
    await test.clock.settle();
    await finish(test);
    expect(test.campaignRow('c').state).toBe('completed');
    expect(trials(test).map(([, , n]) => n)).toEqual([1, 2, 30, 40, 50, 60]);
  });

  it('read its state and its defaults', async () => {
    const test = await lab();
    await campaign(test);
    await expect(test.engine.optimizers.read('c', true)).resolves.toMatchObject({
      state: 'ready',
      reason: null,
      worker: 'worker-1',
      pending: [{ number: 2, run: 'c_run_2', inputs: { 'a.n': 2 } }],
      belief: { known: 0 },
    });
    expect(JSON.stringify(await test.engine.optimizers.read('c', false))).not.toContain('overrides');
    await expect(test.engine.optimizers.defaults('p')).resolves.toMatchObject({ input_names: ['a.n'] });
    await expect(test.engine.optimizers.defaults('none')).rejects.toMatchObject({ code: 'unknown_protocol' });
  });
});
