import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HybridOptimizer } from '../../src/index.js';
import { bowl, bowlAt, connected, newRows, row } from '../bowl.js';
import { ScriptedModels, type Said } from '../scripted-models.js';

describe('a suggestion', () => {
  it('is requested once per sample, with a schema, and becomes its rows', async () => {
    const { models, optimizer } = connected(newRows, { ai_model_settings: { temperature: 0.2 } });
    expect(await optimizer.sample(2, ['c/1', 'c/2'])).toEqual([row(0), row(0.01)]);
    expect(models.questions).toMatchObject([
      { provider: 'script', model: 'one:two', settings: { temperature: 0.2 }, key: null },
    ]);
    expect(models.delays).toEqual([120_000]);
    expect(models.questions[0]!.signal.aborted).toBe(false);
    const note = { journal: 'entry 0', model: 'script:one:two' };
    expect(optimizer.last_sample()).toEqual({
      rows: [
        { source: 'ai', note: { ...note, tokens: { input: 100, output: 10 } } },
        { source: 'ai', note },
      ],
      insights_used: [],
      limits_used: [],
    });
  });

  it('is reported to the plugged-in optimizer, together with its result', async () => {
    const { optimizer } = connected(newRows);
    const rows = await optimizer.sample(2, ['c/1', 'c/2']);
    expect(optimizer.state().optimizer).toMatchObject({
      runs: [
        { name: 'c/1', point: rows[0], status: 'pending' },
        { name: 'c/2', point: rows[1], status: 'pending' },
      ],
    });
    await optimizer.report([rows[1]!], [bowlAt(rows[1]!)], ['c/2']);
    await optimizer.report_failed([rows[0]!], ['c/1']);
    expect(optimizer.get_num_samples_reported()).toBe(1);
    expect(optimizer.get_optimal_solutions()).toMatchObject([rows[1]]);
  });

  it('is requested again with the fault when it is wrong, and all tokens are counted', async () => {
    const { models, optimizer } = connected((question, number) =>
      number < 2 ? { journal: '', suggestions: [row(11 + number)] } : newRows(question, number),
    );
    expect(await optimizer.sample(1, ['c/1'])).toEqual([row(0.14)]);
    const { messages } = models.questions[2]!;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(messages[1]!.content).toBe(JSON.stringify({ journal: '', suggestions: [row(11)] }));
    expect(messages[2]!.content).toContain('suggestions[0].mix.x: 11 of "mix.x" lies outside [0, 10]');
    expect(models.questions[2]!.system).toBe(models.questions[0]!.system);
    expect(optimizer.last_sample().rows[0]!.note.tokens).toEqual({ input: 300, output: 30 });
  });
});

describe('without a valid suggestion', () => {
  const fallbackOf = (optimizer: HybridOptimizer) => {
    const [first] = optimizer.last_sample().rows;
    expect(first).toMatchObject({ source: 'optimizer', note: { model: 'script:one:two' } });
    return first!.note.fallback;
  };

  it('the plugged-in optimizer proposes after all retries and gives the reason', async () => {
    const { models, optimizer } = connected(() => ({ suggestions: [row(5), row(5)] }), { ai_retries: 2 });
    const alone = new HybridOptimizer({ ...bowl, p_ai: 0 });
    expect(await optimizer.sample(2, ['c/1', 'c/2'])).toEqual(await alone.sample(2, ['c/1', 'c/2']));
    expect(models.questions).toHaveLength(3);
    expect(fallbackOf(optimizer)).toEqual({
      code: 'invalid_output',
      message: expect.stringMatching(/after 3 questions: suggestions\[1\]: The point is under way/) as string,
    });
    expect(optimizer.last_sample().rows.map(({ note }) => note.tokens)).toEqual([
      { input: 300, output: 30 },
      undefined,
    ]);
  });

  it('a model that throws is not asked again', async () => {
    const { models, optimizer } = connected(() => {
      throw new Error('503 from\n the provider');
    });
    expect(await optimizer.sample(1)).toHaveLength(1);
    expect(models.questions).toHaveLength(1);
    expect(fallbackOf(optimizer)).toEqual({ code: 'model_error', message: '503 from the provider' });
  });

  it('the time limit ends the wait for a silent model and aborts the question', async () => {
    const { models, optimizer } = connected(() => new Promise(() => undefined), { ai_time_limit: 30 });
    const sample = optimizer.sample(1);
    await expect.poll(() => models.questions).toHaveLength(1);
    models.expire();
    expect(await sample).toHaveLength(1);
    expect(models.delays).toEqual([30_000]);
    expect(models.questions[0]!.signal.aborted).toBe(true);
    expect(fallbackOf(optimizer)).toEqual({
      code: 'deadline',
      message: 'No valid suggestion came within 30 s',
    });
  });

  it('an answer after the limit has no effect', async () => {
    let answer: (said: Said) => void = () => undefined;
    const { models, optimizer } = connected(() => new Promise((resolve) => (answer = resolve)));
    const sample = optimizer.sample(1, ['c/1']);
    await expect.poll(() => models.questions).toHaveLength(1);
    models.expire();
    const rows = await sample;
    const before = optimizer.state();
    answer({ suggestions: [row(11)] });
    await new Promise(setImmediate);
    expect(models.questions).toHaveLength(1);
    expect(optimizer.state()).toEqual(before);
    expect(before.runs).toMatchObject([{ name: 'c/1', point: rows[0] }]);
  });

  it('the plugged-in optimizer works without any connection', async () => {
    const optimizer = new HybridOptimizer(bowl);
    expect(await optimizer.sample(2)).toHaveLength(2);
    expect(fallbackOf(optimizer)).toMatchObject({ code: 'not_connected' });
  });
});

describe('the draw', () => {
  const runs = Array.from({ length: 40 }, (_, i) => `c/${i + 1}`);
  const sourcesOf = async (optimizer: HybridOptimizer, names: string[]) => {
    const sources: string[] = [];
    for (const name of names) {
      await optimizer.sample(1, [name]);
      sources.push(optimizer.last_sample().rows[0]!.source);
    }
    return sources;
  };

  it('is weighted, and equal for the same seed and run, whatever was drawn before', async () => {
    const args = { p_ai: 0.5, num_initial_samples: 1000 };
    const first = await sourcesOf(connected(newRows, args).optimizer, runs);
    const share = first.filter((source) => source === 'ai').length;
    expect(share).toBeGreaterThan(10);
    expect(share).toBeLessThan(30);
    expect(await sourcesOf(connected(newRows, args).optimizer, runs.slice(20))).toEqual(first.slice(20));
    expect(await sourcesOf(connected(newRows, { ...args, seed: 8 }).optimizer, runs)).not.toEqual(first);
  });

  it('applies to all rows of a call', async () => {
    const { optimizer } = connected(newRows, { p_ai: 0.5, num_initial_samples: 1000 });
    for (let i = 0; i < 20; i += 1) {
      await optimizer.sample(3);
      expect(new Set(optimizer.last_sample().rows.map(({ source }) => source)).size).toBe(1);
    }
  });
});

describe('a replay', () => {
  it('in any order restores the state of the plugged-in optimizer and its next row', async () => {
    const args = { p_ai: 0.5, ai_retries: 0 };
    const { optimizer } = connected(newRows, args);
    const told: { name: string; point: Record<string, number | string> }[] = [];
    for (let i = 1; i <= 10; i += 1) {
      const [point] = await optimizer.sample(1, [`c/${i}`]);
      told.push({ name: `c/${i}`, point: point! });
      if (i % 3 !== 0) await optimizer.report([point!], [bowlAt(point!)], [`c/${i}`]);
    }
    const again = connected(newRows, args).optimizer;
    for (const { name, point } of [...told].reverse()) {
      await again.report_started([point], [name]);
      if (Number(name.slice(2)) % 3 !== 0) await again.report([point], [bowlAt(point)], [name]);
    }
    expect(again.state().optimizer).toEqual(optimizer.state().optimizer);
    again.set_runtime_params({ p_ai: 0 });
    optimizer.set_runtime_params({ p_ai: 0 });
    expect(await again.sample(1, ['c/11'])).toEqual(await optimizer.sample(1, ['c/11']));
  });

  it('equals a restored state', async () => {
    const { optimizer } = connected(newRows);
    const rows = await optimizer.sample(2, ['c/1', 'c/2']);
    await optimizer.report([rows[0]!], [bowlAt(rows[0]!)], ['c/1']);
    const state = JSON.parse(JSON.stringify(optimizer.state())) as ReturnType<typeof optimizer.state>;
    const again = connected(newRows).optimizer;
    again.restore(state);
    expect(again.state()).toEqual(optimizer.state());
    expect(() => again.restore({ ...state, format: 2 } as never)).toThrow(/no state of a hybrid/);
    await expect(again.sample(1, ['c/2'])).rejects.toThrow(/"c\/2" has begun already/);
  });
});

describe('the probabilities', () => {
  it('determine each other, and create and remove the AI', async () => {
    const { models, optimizer } = connected(newRows, { p_ai: 0.3 });
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 0.7, p_ai: 0.3 });
    optimizer.set_runtime_params({ p_bayesian: 1 });
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 1, p_ai: 0 });
    await optimizer.sample(1);
    expect(models.questions).toHaveLength(0);
    optimizer.set_runtime_params({ p_ai: 1 });
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 0, p_ai: 1 });
    await optimizer.sample(1);
    expect(models.questions).toHaveLength(1);
  });

  it('must add up to 1', () => {
    expect(() => new HybridOptimizer({ ...bowl, p_ai: 0.5, p_bayesian: 0.6 })).toThrow(/sum is not 1/);
    const { optimizer } = connected(newRows);
    expect(() => optimizer.set_runtime_params({ p_ai: 0.5, p_bayesian: 0.6 })).toThrow(/sum is not 1/);
    expect(() => optimizer.set_runtime_params({ p_ai: 1.5 })).toThrow(/from 0 to 1/);
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 0, p_ai: 1 });
  });

  it('above 0 need a known provider as soon as the AI is asked', () => {
    const models = new ScriptedModels(newRows);
    const other = new HybridOptimizer({ ...bowl, ai_model: 'other:one' });
    expect(() => other.connect(models.host())).toThrow(/"other" is no supported provider/);
    const later = new HybridOptimizer({ ...bowl, ai_model: 'other:one', p_ai: 0 });
    later.connect(models.host());
    expect(() => later.set_runtime_params({ p_ai: 0.5, beta: 3 })).toThrow(
      /"other" is no supported provider/,
    );
    expect(later.get_runtime_params()).toMatchObject({ p_ai: 0, beta: 1 });
  });
});

describe('a key', () => {
  const canary = 'sk-canary-4711';

  it('reaches only the provider', async () => {
    const texts: string[] = [];
    const { models, optimizer } = connected(
      (question, number) => {
        if (number === 0) throw new Error(`401 from the provider: Bearer ${question.key!} is not known`);
        return newRows(question, number);
      },
      { ai_api_key: canary },
    );
    for (const name of ['c/1', 'c/2']) {
      await optimizer.sample(1, [name]);
      texts.push(JSON.stringify(optimizer.last_sample()));
    }
    expect(texts[0]).toContain('Bearer *** is not known');
    expect(models.questions.map(({ key }) => key)).toEqual([canary, canary]);
    texts.push(JSON.stringify(optimizer.state()), String(optimizer));
    texts.push(JSON.stringify(optimizer.get_runtime_params()), JSON.stringify(optimizer.get_param_schema()));
    texts.push(...models.questions.map(({ system, messages }) => JSON.stringify([system, messages])));
    // The scripted models record the questions.
    models.questions.splice(0);
    texts.push(JSON.stringify(optimizer), inspect(optimizer, { depth: 20, showHidden: true }));
    expect(texts.filter((text) => text.includes(canary))).toEqual([]);
  });

  it('appears in no error about it', () => {
    expect(() => new HybridOptimizer({ ...bowl, ai_api_key: [canary] as never })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(canary) as string }) as Error,
    );
  });
});
