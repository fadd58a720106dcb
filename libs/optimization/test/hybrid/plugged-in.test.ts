import {
  AbstractSequentialOptimizer,
  type ParameterField,
  type RuntimeParameters,
  type Table,
} from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  continuousInput,
  continuousOutput,
  discreteInput,
  HybridOptimizer,
  minimize,
  type Input,
} from '../../src/index.js';
import { ScriptedModels, type Said } from '../scripted-models.js';

/** Tries all combinations of discrete inputs, the last changing fastest. */
class Grid extends AbstractSequentialOptimizer {
  readonly pending = new Set<string>();
  readonly completed = new Map<string, Table[number]>();

  constructor(
    private readonly inputs: readonly Input[],
    private readonly output: string,
    private descending: boolean,
  ) {
    super();
  }

  sample(count: number): Table {
    const all = this.inputs.reduce<Table>(
      (rows, input) =>
        input.kind === 'discrete'
          ? rows.flatMap((row) => input.values.map((value) => ({ ...row, [input.key]: value })))
          : rows,
      [{}],
    );
    const free = all.filter((row) => !this.pending.has(keyOf(row)) && !this.completed.has(keyOf(row)));
    if (free.length < count) throw new Error(`The grid is exhausted: ${free.length} points are left`);
    const rows = (this.descending ? free.reverse() : free).slice(0, count);
    for (const row of rows) this.pending.add(keyOf(row));
    return rows;
  }

  report(inputs: Table, outputs: Table<number>): void {
    inputs.forEach((row, i) => {
      this.pending.delete(keyOf(row));
      this.completed.set(keyOf(row), { ...row, ...outputs[i] });
    });
  }

  override report_started(inputs: Table): void {
    for (const row of inputs) this.pending.add(keyOf(row));
  }

  override report_failed(inputs: Table): void {
    for (const row of inputs) this.pending.delete(keyOf(row));
  }

  get_optimal_solutions(): Table {
    return [...this.completed.values()]
      .sort((a, b) => Number(a[this.output]) - Number(b[this.output]))
      .slice(0, 1);
  }

  get_input_names(): string[] {
    return this.inputs.map(({ key }) => key);
  }

  get_output_names(): string[] {
    return [this.output];
  }

  get_num_samples_reported(): number {
    return this.completed.size;
  }

  override get_runtime_params(): RuntimeParameters {
    return { descending: this.descending };
  }

  override set_runtime_params({ descending }: RuntimeParameters): void {
    if (typeof descending !== 'boolean') throw new Error('"descending" is true or false');
    this.descending = descending;
  }
}

const keyOf = (row: Table[number]) => JSON.stringify(Object.entries(row).sort());

class GridCampaign extends HybridOptimizer<{ descending?: boolean }> {
  static override svc_param_schema(): ParameterField[] {
    return [{ key: 'descending', type: 'checkbox', default: false, runtime: true }];
  }

  protected override _create_optimizer(inputs: readonly Input[]): AbstractSequentialOptimizer {
    return new Grid(inputs, 'score.loss', this.settings.descending!);
  }
}

const six = [0, 1, 2, 3, 4, 5];
const args = {
  inputs: [discreteInput('mix.a', six), discreteInput('mix.b', six)],
  outputs: [continuousOutput('score.loss', minimize())],
  constraints: [],
  p_bayesian: 1.0,
  p_ai: 0.0,
};
const lossOf = (row: Table[number]) => ({
  'score.loss': (Number(row['mix.a']) - 4) ** 2 + (Number(row['mix.b']) - 1) ** 2,
});

describe('a grid search plugged in by a subclass', () => {
  it('is created with the arguments of the subclass before its own constructor continues', async () => {
    expect(await new GridCampaign(args).sample(2)).toEqual([
      { 'mix.a': 0, 'mix.b': 0 },
      { 'mix.a': 0, 'mix.b': 1 },
    ]);
    expect(await new GridCampaign({ ...args, descending: true }).sample(1)).toEqual([
      { 'mix.a': 5, 'mix.b': 5 },
    ]);
  });

  it('tries all 36 combinations once and is then exhausted', async () => {
    const optimizer = new GridCampaign(args);
    const rows: Table = [];
    for (let i = 0; i < 12; i += 1) {
      const batch = await optimizer.sample(3);
      await optimizer.report([...batch].reverse(), [...batch].reverse().map(lossOf));
      rows.push(...batch);
    }
    expect(new Set(rows.map(keyOf)).size).toBe(36);
    expect(optimizer.get_optimal_solutions()).toEqual([{ 'mix.a': 4, 'mix.b': 1, 'score.loss': 0 }]);
    await expect(optimizer.sample(1)).rejects.toThrow(/exhausted: 0 points/);
    expect(optimizer.get_num_samples_reported()).toBe(36);
  });

  it('restores itself from the results of an earlier process', async () => {
    const optimizer = new GridCampaign(args);
    await optimizer.report([{ 'mix.a': 0, 'mix.b': 0 }], [{ 'score.loss': 17 }], ['c/1']);
    await optimizer.report_started([{ 'mix.a': 0, 'mix.b': 1 }], ['c/2']);
    await optimizer.report_failed([{ 'mix.a': 0, 'mix.b': 2 }], ['c/3']);
    expect(await optimizer.sample(1, ['c/4'])).toEqual([{ 'mix.a': 0, 'mix.b': 2 }]);
  });

  it('shows its setting beside those of the AI, and none of the Bayesian optimizer', () => {
    const optimizer = new GridCampaign(args);
    const keys = optimizer.get_param_schema().map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['p_bayesian', 'p_ai', 'ai_history_size', 'descending']));
    expect(keys).not.toContain('surrogate');
    expect(new HybridOptimizer(args).get_param_schema().map(({ key }) => key)).toContain('surrogate');
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 1, descending: false });
  });

  it('changes its traversal while it runs, and refuses an invalid one', async () => {
    const optimizer = new GridCampaign(args);
    optimizer.set_runtime_params({ descending: true });
    expect(await optimizer.sample(1)).toEqual([{ 'mix.a': 5, 'mix.b': 5 }]);
    expect(() => optimizer.set_runtime_params({ descending: 'no', ai_history_size: 3 })).toThrow(
      /descending: "no" is neither true nor false/,
    );
    expect(optimizer.get_runtime_params()).toMatchObject({ descending: true, ai_history_size: 50 });
  });

  it('receives the choices of the AI, and survives a wrong AI', async () => {
    const said: Said[] = [
      { journal: 'middle', suggestions: [{ 'mix.a': 0, 'mix.b': 0 }] },
      { journal: 'again', suggestions: [{ 'mix.a': 0, 'mix.b': 0 }] },
    ];
    const optimizer = new GridCampaign({
      ...args,
      p_bayesian: 0,
      p_ai: 1,
      ai_model: 'script:one',
      ai_retries: 0,
    });
    optimizer.connect(new ScriptedModels((_, number) => said[number]!).host());
    expect(await optimizer.sample(1)).toEqual([{ 'mix.a': 0, 'mix.b': 0 }]);
    expect(optimizer.last_sample().rows[0]!.source).toBe('ai');
    expect(await optimizer.sample(1)).toEqual([{ 'mix.a': 0, 'mix.b': 1 }]);
    expect(optimizer.last_sample().rows[0]).toMatchObject({
      source: 'optimizer',
      note: { fallback: { code: 'invalid_output' } },
    });
  });
});

it('rounds a value of a plugged-in optimizer between two steps, which then gets the result of the nearer one', async () => {
  const reported: Table[] = [];
  class Between extends HybridOptimizer {
    protected override _create_optimizer(inputs: readonly Input[]): AbstractSequentialOptimizer {
      return Object.assign(new Grid(inputs, 'score.loss', false), {
        sample: () => [{ 'mix.a': 2.6 }],
        report: (rows: Table) => reported.push(rows),
      });
    }
  }
  const optimizer = new Between({
    inputs: [continuousInput('mix.a', [0, 5], { step: 1 })],
    outputs: [continuousOutput('score.loss', minimize())],
  });
  const rows = await optimizer.sample(1, ['c/1']);
  expect(rows).toEqual([{ 'mix.a': 3 }]);
  await optimizer.report(rows, [{ 'score.loss': 1 }], ['c/1']);
  expect(reported).toEqual([[{ 'mix.a': 3 }]]);
});

describe('a plugged-in optimizer is refused', () => {
  const plugging = (make: (grid: Grid) => unknown) =>
    class extends HybridOptimizer {
      protected override _create_optimizer(inputs: readonly Input[]): AbstractSequentialOptimizer {
        return make(new Grid(inputs, 'score.loss', false)) as AbstractSequentialOptimizer;
      }
    };

  it.each([
    ['is none', () => undefined, /no method sample, report,/],
    ['lacks a method', (grid: Grid) => Object.assign(grid, { report_failed: 1 }), /no method report_failed/],
    [
      'has other inputs',
      (grid: Grid) => Object.assign(grid, { get_input_names: () => ['mix.c'] }),
      /names mix\.c, and the arguments mix\.a, mix\.b/,
    ],
    [
      'has a runtime parameter of the AI',
      (grid: Grid) => Object.assign(grid, { get_runtime_params: () => ({ p_ai: 1 }) }),
      /"p_ai" is a setting of the hybrid optimizer/,
    ],
  ])('when it %s', (_, make, message) => {
    expect(() => new (plugging(make))(args)).toThrow(message);
  });

  it('with a proposal outside the domain, and no run begins', async () => {
    const optimizer = new (plugging((grid) =>
      Object.assign(grid, { sample: () => [{ 'mix.a': 0.5, 'mix.b': 0 }] }),
    ))(args);
    await expect(optimizer.sample(1)).rejects.toMatchObject({
      code: 'optimizer_error',
      faults: [{ code: 'value' }],
    });
    await expect(optimizer.sample(2)).rejects.toThrow(/1 rows instead of 2/);
    expect(optimizer.state().runs).toEqual([]);
  });

  it('with a result at which it throws, and the result counts as unreported', async () => {
    const optimizer = new (plugging((grid) =>
      Object.assign(grid, {
        report: () => {
          throw new Error('full');
        },
      }),
    ))(args);
    await optimizer.sample(1, ['c/1']);
    await expect(
      optimizer.report([{ 'mix.a': 0, 'mix.b': 0 }], [{ 'score.loss': 1 }], ['c/1']),
    ).rejects.toThrow('full');
    expect(optimizer.state().runs).toMatchObject([{ name: 'c/1', status: 'pending' }]);
  });
});

describe('a subclass is refused', () => {
  it('when one of its fields has the name of a setting', () => {
    class Colliding extends HybridOptimizer {
      static override svc_param_schema(): ParameterField[] {
        return [{ key: 'ai_retries', type: 'checkbox', default: true, runtime: true }];
      }
    }
    expect(() => new Colliding(args)).toThrow(/"ai_retries" is a setting of the hybrid optimizer/);
    class Extending extends HybridOptimizer {
      static override svc_param_schema(): ParameterField[] {
        return [...super.svc_param_schema(), { key: 'mood', type: 'text', default: 'calm', runtime: false }];
      }
    }
    const keys = new Extending(args).get_param_schema().map(({ key }) => key);
    expect(keys.filter((key) => key === 'ai_retries')).toHaveLength(1);
    expect(keys).toContain('mood');
  });
});

describe('an argument is refused', () => {
  it('when it is not an object, lacks inputs or outputs, or has them in another form', () => {
    for (const wrong of [null, 5, [], {}, { inputs: 5, outputs: [] }, { ...args, constraints: 7 }]) {
      expect(() => new HybridOptimizer(wrong as never)).toThrow(
        expect.objectContaining({ code: 'invalid' }) as Error,
      );
    }
  });

  it.each([
    [{ ai_history_size: 0 }, 'ai_history_size'],
    [{ ai_history_size: 2.5 }, 'ai_history_size'],
    [{ ai_retries: -1 }, 'ai_retries'],
    [{ ai_time_limit: 0 }, 'ai_time_limit'],
    [{ p_ai: 2 }, 'p_ai'],
    [{ p_bayesian: 0.5 }, 'ai_model'],
    [{ ai_model: 'gpt' }, 'ai_model'],
    [{ ai_model: ':gpt' }, 'ai_model'],
    [{ ai_model_settings: 'hot' }, 'ai_model_settings'],
    [{ ai_additional_parameters: 'score.x' }, 'ai_additional_parameters'],
    [{ ai_additional_parameters: ['score'] }, 'ai_additional_parameters[0]'],
    [{ ai_additional_parameters: ['a.b', 'a.b'] }, 'ai_additional_parameters[1]'],
    [{ ai_additional_context: 5 }, 'ai_additional_context'],
    [{ ai_histroy_size: 5 }, 'ai_histroy_size'],
    [{ betta: 5 }, 'betta'],
  ])('%o', (wrong, path) => {
    const { inputs, outputs } = args;
    expect(() => new HybridOptimizer({ inputs, outputs, ...wrong } as never)).toThrow(
      expect.objectContaining({
        code: 'invalid',
        faults: expect.arrayContaining([expect.objectContaining({ path })]) as unknown,
      }) as Error,
    );
  });
});
