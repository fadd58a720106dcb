import type { JsonObject, Trial } from '@lab/contracts';
import { AiServer } from '@lab/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hybridLanguages } from './hybrid-modules.js';
import { Laboratory, type RunningWorker } from './laboratory.js';
import type { TestModule } from './modules.js';

/** The hybrid optimizer in both languages, with a plugged-in grid search and a model server, in processes of a real worker. */

const row = (number: number, factor: number, second: number) => ({
  'first.number': number,
  'first.factor': factor,
  'second.factor': second,
});
const scored = (trial: Trial): Trial => {
  const [a, b, c] = Object.values(trial.inputs) as [number, number, number];
  return { ...trial, state: 'measured', outputs: { 'score.loss': Math.abs(a * b * c - 1024) } };
};
const suggest = (...suggestions: object[]): string => JSON.stringify({ journal: 'a try', suggestions });
const canary = 'sk-canary-0123456789';

describe.each(hybridLanguages)('the hybrid optimizer in $name', ({ module }) => {
  let lab: Laboratory;
  let worker: RunningWorker;
  let grid: TestModule;
  let models: AiServer;

  beforeAll(async () => {
    lab = await Laboratory.open();
    worker = await lab.start();
    grid = await module();
  });
  afterAll(() => lab.close());
  beforeEach(async () => {
    models = await AiServer.start();
  });
  afterEach(() => models.stop());

  const asking = (more: JsonObject = {}): JsonObject => ({
    p_ai: 1,
    ai_model: 'local:test',
    ai_model_settings: { base_url: models.baseUrl },
    ai_api_key: canary,
    ai_retries: 1,
    ...more,
  });

  it('refuses an unknown provider, probabilities that do not add up, and values out of range', async () => {
    const wrong: [JsonObject, string][] = [
      [{ p_ai: 0.5, ai_model: 'oracle:delphi' }, 'optimizer_overrides.p_ai'],
      [{ p_ai: 0.5, p_bayesian: 0.6, ai_model: 'ollama:qwen3.5:9b' }, 'optimizer_overrides.p_bayesian'],
      [{ ai_history_size: 0 }, 'optimizer_overrides.ai_history_size'],
      [{ ai_retries: 99 }, 'optimizer_overrides.ai_retries'],
      [{ ai_modell: 'x' }, 'optimizer_overrides.ai_modell'],
    ];
    for (const [overrides, path] of wrong) {
      const refused = await lab.describe(worker, grid, overrides).then(
        () => ({ overrides, code: 'accepted' }),
        (error: unknown) => error,
      );
      expect(refused, JSON.stringify(overrides)).toMatchObject({ code: 'invalid' });
      const { faults } = refused as { faults: { path: string }[] };
      if (path !== 'optimizer_overrides.p_ai') expect(faults.map((fault) => fault.path)).toContain(path);
      else expect(JSON.stringify(faults)).toContain('anthropic, openai, google');
    }
  });

  it('takes every setting of the AI as an override, and shows no key', async () => {
    const overrides = asking({
      ai_time_limit: 60,
      ai_history_size: 5,
      ai_additional_context: 'products',
      ai_additional_parameters: ['second.product'],
      ai_retries: 2,
    });
    const described = await lab.describe(worker, grid, overrides);
    expect(described.arguments).toMatchObject({ ai_time_limit: 60, ai_retries: 2, ai_api_key: '***' });
    expect(described.additional_names).toEqual(['second.product']);
    expect(JSON.stringify([described, worker.lines])).not.toContain(canary);
  });

  it('derives either probability from the other and describes its settings for forms', async () => {
    const overrides = { p_ai: 0.25, ai_model: 'ollama:qwen3.5:9b' };
    const described = await lab.describe(worker, grid, overrides);
    expect(described.runtime_params).toMatchObject({ p_ai: 0.25, p_bayesian: 0.75, descending: false });
    expect(described.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'p_ai', runtime: true, min: 0, max: 1 }),
        expect.objectContaining({ key: 'ai_retries', runtime: false, default: 3 }),
        expect.objectContaining({ key: 'descending', type: 'checkbox' }),
      ]),
    );
    const keys = described.fields.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('takes the rows of the AI, notes them, and reports their results to the plugged-in optimizer', async () => {
    models.answer = () => suggest(row(8, 4, 32), row(8, 4, 16));
    const session = await lab.open(worker, 'asked', grid, { overrides: asking() });
    const insight = { id: 'i1', text: 'large factors', by: 'ana', at: 1 };
    const { trials, insights_used } = await session.propose([1, 2], [insight]);
    expect(insights_used).toEqual(['i1']);
    const note = { journal: 'a try', model: 'local:test' };
    const tokens = { input: 100, output: 20 };
    expect(trials.map(({ source, inputs, note }) => ({ source, inputs, note }))).toEqual([
      { source: 'ai', inputs: row(8, 4, 32), note: { ...note, tokens, insights: ['large factors'] } },
      { source: 'ai', inputs: row(8, 4, 16), note },
    ]);
    expect(models.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${canary}`]);
    for (const text of ['large factors', 'paint', 'first.number: one of 2, 4, 8', 'as little as possible'])
      expect(models.asked[0]?.prompt).toContain(text);
    await session.tell(trials.map(scored));
    expect((await session.best()).rows).toEqual([{ ...row(8, 4, 32), 'score.loss': 0 }]);
    // The grid knows the points of the AI.
    await session.configure({ p_ai: 0, descending: true });
    const rest = (await session.propose(Array.from({ length: 34 }, (_, i) => i + 3))).trials;
    expect(rest[0]).toMatchObject({ source: 'optimizer', inputs: row(8, 5, 64) });
    expect(rest.map(({ inputs }) => inputs)).not.toContainEqual(row(8, 4, 32));
  });

  it('shows the AI the results, what failed, what is under way, and its journal', async () => {
    models.answer = () => suggest(row(2, 3, 8));
    const session = await lab.open(worker, 'told', grid, { overrides: asking() });
    const first = (await session.propose([1])).trials[0]!;
    const given = (number: number, inputs: Trial['inputs']): Trial => ({
      ...first,
      number,
      run: `c/${number}`,
      source: 'given',
      inputs,
      note: {},
    });
    await session.tell([
      scored(first),
      { ...given(2, row(4, 4, 16)), state: 'failed' },
      { ...given(3, row(4, 5, 16)), state: 'running' },
    ]);
    models.answer = () => suggest(row(8, 5, 16));
    await session.propose([4]);
    const request = models.asked[1]!.prompt;
    for (const line of ['c/1,ai,2,3,8,976', 'c/2,given,4,4,16,', 'c/3,given,4,5,16,', 'c/1: a try'])
      expect(request).toContain(line);
  });

  it('asks again for a point that is there already, and then lets the plugged-in optimizer choose', async () => {
    models.answer = () => suggest(row(2, 3, 8));
    const session = await lab.open(worker, 'again', grid, { overrides: asking() });
    await session.tell([scored((await session.propose([1])).trials[0]!)]);
    const { trials } = await session.propose([2]);
    expect(trials[0]).toMatchObject({
      source: 'optimizer',
      inputs: row(2, 3, 16),
      note: {
        model: 'local:test',
        tokens: { input: 200, output: 40 },
        fallback: { code: 'invalid_output' },
      },
    });
    expect(models.asked).toHaveLength(3);
  });

  it('uses the grid when its model is unavailable, and keeps the insights', async () => {
    const overrides = {
      p_ai: 1,
      ai_model: 'local:nobody',
      ai_model_settings: { base_url: 'http://127.0.0.1:9/v1' },
      ai_time_limit: 1,
    };
    const session = await lab.open(worker, 'alone', grid, { overrides });
    const insight = { id: 'i1', text: 'large factors', by: 'ana', at: 1 };
    const { trials, insights_used } = await session.propose([1], [insight]);
    expect(insights_used).toEqual([]);
    expect(trials[0]).toMatchObject({
      source: 'optimizer',
      note: { model: 'local:nobody', fallback: { code: 'deadline' } },
    });
  });

  it('chooses the source in the same way in a new process', async () => {
    models.answer = () => suggest();
    const overrides = asking({ p_ai: 0.5, ai_retries: 0 });
    const sources = async (name: string): Promise<boolean[]> => {
      const session = await lab.open(worker, name, grid, { overrides });
      const found: boolean[] = [];
      for (let number = 1; number <= 12; number += 1) {
        const { trials } = await session.propose([number]);
        found.push(trials[0]!.note.fallback !== undefined);
      }
      return found;
    };
    const before = await sources('one');
    expect(await sources('other')).toEqual(before);
    expect(new Set(before)).toEqual(new Set([true, false]));
  });

  it('lets its open question go when its campaign ends', async () => {
    models.answer = () => null;
    const session = await lab.open(worker, 'closed', grid, { overrides: asking() });
    const waiting = session.propose([1]).catch((error: unknown) => error);
    await expect.poll(() => models.asked.length, { timeout: 10_000 }).toBe(1);
    await session.close();
    await expect.poll(() => models.abandoned, { timeout: 10_000 }).toBe(1);
    expect(await waiting).toMatchObject({ code: 'optimizer_unavailable' });
  });

  it('changes settings together or not at all', async () => {
    const session = await lab.open(worker, 'changed', grid, { overrides: asking() });
    await expect(session.configure({ p_ai: 0.5, descending: 'down' })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect((await session.configure({})).runtime_params).toMatchObject({ p_ai: 1, descending: false });
    await expect(session.configure({ ai_history_size: 0 })).rejects.toMatchObject({ code: 'invalid' });
    const { runtime_params } = await session.configure({ p_bayesian: 0.75, descending: true });
    expect(runtime_params).toMatchObject({ p_ai: 0.25, p_bayesian: 0.75, descending: true });
  });
});
