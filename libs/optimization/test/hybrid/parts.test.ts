import { describe, expect, it } from 'vitest';
import { HybridParts, type SuggestionQuestion } from '../../src/index.js';
import { bowl, bowlAt, newRows, row } from '../bowl.js';
import { ScriptedModels } from '../scripted-models.js';

const space = { inputs: bowl.inputs, outputs: bowl.outputs, constraints: [] };
const ai = { p_ai: 1, ai_model: 'script:one:two', ai_api_key: 'sk-1234567' };
const question: SuggestionQuestion = {
  arguments: ai,
  space,
  protocol: 'mix and measure',
  runs: [
    { name: 'c/1', point: row(1), status: 'measured', measured: bowlAt(row(1)) },
    { name: 'c/2', point: row(2), status: 'pending', measured: null },
  ],
  details: [{ run: 'c/1', source: 'ai', note: { journal: 'low first' }, additional: {} }],
  belief: { outputs: [{ key: 'score.loss', r2: 0.9, sensitivities: { 'mix.x': 1 } }] },
  insights: ['keep y small'],
  count: 2,
};

describe('the settings of a hybrid optimizer in another language', () => {
  const parts = new HybridParts(new ScriptedModels(newRows));

  it('get their defaults, and a change of one probability sets the other', () => {
    expect(parts.settings(ai, space, { p_bayesian: 0.75 })).toMatchObject({
      p_ai: 0.25,
      runtime_params: { p_bayesian: 0.75, p_ai: 0.25, ai_history_size: 50, ai_additional_context: '' },
      additional_names: [],
    });
  });

  it('are described for a form', () => {
    const { fields } = parts.settings({}, space, {});
    expect(fields.map(({ key }) => key)).toEqual(expect.arrayContaining(['p_ai', 'ai_model', 'ai_retries']));
  });

  it.each([
    ['a wrong number', { ...ai, ai_retries: 99 }, 'ai_retries'],
    ['a probability without a model', { p_ai: 0.5 }, 'ai_model'],
    ['an unknown provider', { p_ai: 0.5, ai_model: 'nobody:x' }, 'ai_model'],
  ])('are refused with %s', (_, args, path) => {
    const wanted = { code: 'invalid', faults: [expect.objectContaining({ path })] };
    expect(() => parts.settings(args, space, {})).toThrow(expect.objectContaining(wanted) as Error);
  });

  it('accept an unknown provider while the AI is switched off', () => {
    const off = parts.settings({ ...ai, ai_model: 'nobody:x' }, space, { p_ai: 0 });
    expect(off.p_ai).toBe(0);
  });

  it('are refused with a domain that has no points', () => {
    const inputs = [{ kind: 'continuous' as const, key: 'mix.x', bounds: [3, 1] as const }];
    expect(() => parts.settings(ai, { ...space, inputs }, {})).toThrow(/bounds/);
  });
});

describe('a suggestion for a hybrid optimizer in another language', () => {
  it('is asked with the key, the protocol, the runs, the journal, the belief and the remarks', async () => {
    const models = new ScriptedModels(newRows);
    expect(await new HybridParts(models).suggestion(question)).toEqual({
      points: [row(0), row(0.01)],
      adjusted: [false, false],
      journal: 'entry 0',
      tokens: { input: 100, output: 10 },
    });
    expect(models.questions).toMatchObject([{ model: 'one:two', key: 'sk-1234567' }]);
    const { system } = models.questions[0]!;
    expect(system).toContain('mix and measure');
    for (const text of ['c/1,ai,1,0.5,4.25', 'c/2', 'low first', 'mix.x 100 %', 'keep y small'])
      expect(models.request).toContain(text);
    expect(system + models.request).not.toContain('sk-1234567');
  });

  it('repeats no run and is asked again with the fault', async () => {
    const models = new ScriptedModels((_, number) => ({ suggestions: [row(number + 1), row(7)] }));
    const said = await new HybridParts(models).suggestion(question);
    expect(said).toMatchObject({ points: [row(3), row(7)], tokens: { input: 300 } });
    expect(models.questions.at(-1)!.messages.at(-1)!.content).toContain('suggestions[0]');
  });

  it('that never comes is a failure without the key', async () => {
    const models = new ScriptedModels(() => {
      throw new Error('401 for sk-1234567');
    });
    expect(await new HybridParts(models).suggestion(question)).toEqual({
      failure: { code: 'model_error', message: '401 for ***' },
      tokens: { input: 0, output: 0 },
    });
  });
});
