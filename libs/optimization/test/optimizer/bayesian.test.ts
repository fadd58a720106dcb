import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { after, bowl, bowlAt } from '../measured-bowl.js';
import {
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  linearEquality,
  linearInequality,
  maximize,
  minimize,
  nChooseK,
} from '../../src/domain/builders.js';
import { Domain } from '../../src/domain/domain.js';
import { Rng } from '../../src/numeric/index.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const mixed: BayesianArguments = {
  inputs: [
    continuousInput('mix.a', [0, 1]),
    continuousInput('mix.b', [0, 1]),
    continuousInput('mix.c', [0, 1], { step: 0.1 }),
    discreteInput('heat.celsius', [20, 40, 60, 80]),
    categoricalInput('mix.solvent', ['water', 'ethanol', 'acetone']),
  ],
  outputs: [
    continuousOutput('assay.yield', maximize(), { at_least: 0.2 }),
    continuousOutput('assay.cost', minimize()),
  ],
  constraints: [
    linearEquality(['mix.a', 'mix.b', 'mix.c'], [1, 1, 1], 1),
    linearInequality(['heat.celsius', 'mix.a'], [0.01, 1], 1.2),
    nChooseK(['mix.a', 'mix.b', 'mix.c'], { min_count: 1, max_count: 2 }),
  ],
  num_initial_samples: 6,
  seed: 'mixed',
};
const mixedAt = (row: Table[number]) => ({
  'assay.yield': Number(row['mix.a']) * 0.8 + (row['mix.solvent'] === 'ethanol' ? 0.2 : 0),
  'assay.cost': Number(row['heat.celsius']) / 80 + Number(row['mix.b']),
});

describe('a campaign', () => {
  it('spreads points first, then lets a model choose, and finds the minimum', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const origins: string[] = [];
    for (let i = 0; i < 16; i += 1) {
      const [row] = optimizer.sample(1);
      origins.push(...optimizer.last_sample().origins);
      optimizer.report([row!], [bowlAt(row!)]);
    }
    expect(origins).toEqual([...Array(4).fill('initial'), ...Array(12).fill('model')]);
    expect(optimizer.get_num_samples_reported()).toBe(16);
    const [best] = optimizer.get_optimal_solutions();
    expect(best).toMatchObject({ meets_constraints: true, recommended: true });
    expect(best!['score.loss']).toBeLessThan(0.05);
    expect(optimizer.get_input_names()).toEqual(['mix.x', 'mix.y']);
    expect(optimizer.get_output_names()).toEqual(['score.loss']);
  });

  it('proposes only feasible points that differ, also in batches, with constraints of all kinds', () => {
    const optimizer = new BayesianSequentialOptimizer(mixed);
    const domain = Domain.of({ ...mixed, constraints: mixed.constraints! });
    const all: Table = [];
    for (const count of [4, 3, 4]) {
      const rows = optimizer.sample(count);
      expect(rows).toHaveLength(count);
      all.push(...rows);
      optimizer.report(rows, rows.map(mixedAt));
    }
    expect(all.flatMap((row) => domain.validate(row))).toEqual([]);
    expect(new Set(all.map((row) => JSON.stringify(row))).size).toBe(all.length);
    const solutions = optimizer.get_optimal_solutions();
    expect(solutions.length).toBeGreaterThan(0);
    expect(solutions.every((row) => typeof row['meets_constraints'] === 'boolean')).toBe(true);
    const kept = all.filter((row) => mixedAt(row)['assay.yield'] >= 0.2);
    if (kept.length > 0) {
      const best = solutions.filter((row) => row['meets_constraints'] === true);
      expect(best.length).toBeGreaterThan(0);
    }
  });

  it('recommends what may be on the front of several objectives, and of exact results the front alone', () => {
    const recommendedOf = (noise: number) => {
      const optimizer = new BayesianSequentialOptimizer({
        inputs: [continuousInput('mix.x', [0, 1])],
        outputs: [continuousOutput('assay.near', minimize()), continuousOutput('assay.far', minimize())],
        seed: 3,
      });
      const rng = Rng.seeded('noise');
      const xs = Array.from({ length: 16 }, (_, i) => i / 15);
      // The runs up to 0.4 are the front: beyond it both objectives rise.
      const truths = xs.map((x) => [x, Math.abs(x - 0.4)] as const);
      const results = truths.map(([near, far]) => ({
        'assay.near': near + noise * rng.normal(),
        'assay.far': far + noise * rng.normal(),
      }));
      optimizer.report(
        xs.map((x) => ({ 'mix.x': x })),
        results,
      );
      const rows = optimizer.get_optimal_solutions();
      expect(optimizer.get_optimal_solutions()).toEqual(rows);
      return rows.flatMap((row) => (row['recommended'] ? [Number(row['mix.x'])] : [])).sort();
    };
    const front = Array.from({ length: 7 }, (_, i) => i / 15);
    expect(recommendedOf(0)).toEqual(front);
    const likely = recommendedOf(0.05);
    expect(likely).toEqual(expect.arrayContaining(front));
    expect(Math.max(...likely)).toBeLessThan(0.8);
  });

  it('uses every point of a finite domain once and reports when none is left', () => {
    const optimizer = new BayesianSequentialOptimizer({
      inputs: [discreteInput('a.x', [1, 2, 3]), categoricalInput('a.y', ['p', 'q'])],
      outputs: [continuousOutput('a.z', minimize())],
      num_initial_samples: 2,
    });
    const rows: Table = [];
    for (let i = 0; i < 6; i += 1) {
      const [row] = optimizer.sample(1);
      rows.push(row!);
      optimizer.report([row!], [{ 'a.z': Number(row!['a.x']) }]);
    }
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(6);
    const before = optimizer.state();
    expect(() => optimizer.sample(1)).toThrow(/only 0 points of the domain were not used/);
    expect(optimizer.state()).toEqual(before);
  });
});

describe('pending runs', () => {
  it('are not proposed again, whoever began them, and the initial design continues without results', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const [first] = new BayesianSequentialOptimizer(bowl).sample(1);
    optimizer.report_started([first!], ['ai_1']);
    const rows = [...optimizer.sample(4), ...optimizer.sample(3)];
    expect(optimizer.last_sample().origins).toEqual(['initial', 'initial', 'initial']);
    const keys = [first, ...rows].map((row) => JSON.stringify(row));
    expect(new Set(keys).size).toBe(8);
  });

  it('keep later proposals away, so that a batch does not gather in one place', () => {
    const optimizer = after(bowl, 8, bowlAt);
    const [a] = optimizer.sample(1);
    const [b] = optimizer.sample(1);
    const apart = Math.hypot(
      (Number(a!['mix.x']) - Number(b!['mix.x'])) / 10,
      (Number(a!['mix.y']) - Number(b!['mix.y'])) / 2,
    );
    expect(apart).toBeGreaterThan(1e-4);
  });

  it('are cleared once by name or by value, and a result after a failure counts', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const rows = optimizer.sample(3, ['r1', 'r2', 'r3']);
    optimizer.report([rows[1]!], [bowlAt(rows[1]!)], ['r2']);
    optimizer.report([rows[1]!], [bowlAt(rows[1]!)], ['r2']);
    expect(optimizer.get_num_samples_reported()).toBe(1);
    expect(() => optimizer.report([rows[1]!], [{ 'score.loss': 99 }], ['r2'])).toThrow(/"r2"/);
    optimizer.report_failed([rows[0]!], ['r1']);
    optimizer.report([rows[0]!], [bowlAt(rows[0]!)], ['r1']);
    optimizer.report([rows[2]!], [bowlAt(rows[2]!)]);
    expect(optimizer.state().runs.map(({ status }) => status)).toEqual(['measured', 'measured', 'measured']);
  });
});

describe('failed runs', () => {
  it('are neither repeated nor approached, and do not end the initial design too early', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const failed = optimizer.sample(3);
    optimizer.report_failed(failed);
    for (let i = 0; i < 9; i += 1) {
      const [row] = optimizer.sample(1);
      expect(failed).not.toContainEqual(row);
      optimizer.report([row!], [bowlAt(row!)]);
    }
    expect(optimizer.get_num_samples_reported()).toBe(9);
  });

  it('move the next proposal to another place', () => {
    const optimizer = after(bowl, 8, bowlAt);
    const [wanted] = optimizer.sample(1);
    optimizer.report_failed([wanted!]);
    const [next] = optimizer.sample(1);
    const apart = Math.hypot(
      (Number(wanted!['mix.x']) - Number(next!['mix.x'])) / 10,
      (Number(wanted!['mix.y']) - Number(next!['mix.y'])) / 2,
    );
    expect(apart).toBeGreaterThan(0.05);
  });

  it('may be the only runs', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    for (let i = 0; i < 12; i += 1) optimizer.report_failed(optimizer.sample(1));
    expect(optimizer.sample(2)).toHaveLength(2);
    expect(optimizer.get_optimal_solutions()).toEqual([]);
    expect(optimizer.explain()).toMatchObject({ outputs: [], observed: [] });
  });
});

describe('the same seed and reports', () => {
  const known = after(bowl, 7, bowlAt).state().runs;
  const told = (runs: typeof known) => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    for (const run of runs) optimizer.report([run.point], [run.measured!]);
    return optimizer;
  };

  it('give the same proposals in any order of the reports', () => {
    const expected = told(known).sample(2);
    expect(told([...known].reverse()).sample(2)).toEqual(expected);
    expect(told([...known.slice(3), ...known.slice(0, 3)]).sample(2)).toEqual(expected);
    const other = new BayesianSequentialOptimizer({ ...bowl, seed: 8 });
    for (const run of known) other.report([run.point], [run.measured!]);
    expect(other.sample(2)).not.toEqual(expected);
  });

  it('restore an optimizer, from its state as well as by a replay', () => {
    const original = after(bowl, 7, bowlAt);
    const state = JSON.parse(JSON.stringify(original.state())) as ReturnType<typeof original.state>;
    const restored = new BayesianSequentialOptimizer(bowl);
    restored.restore(state);
    const expected = original.sample(2);
    expect(restored.sample(2)).toEqual(expected);
    expect(told(known).sample(2)).toEqual(expected);
    expect(restored.state()).toEqual(original.state());
  });

  it('are refused by another optimization', () => {
    const state = after(bowl, 3, bowlAt).state();
    expect(() => new BayesianSequentialOptimizer(mixed).restore(state)).toThrow(/other inputs/);
    const optimizer = new BayesianSequentialOptimizer(bowl);
    expect(() => optimizer.restore({} as never)).toThrow(/no state/);
    const broken = { ...state, runs: [{ ...state.runs[0]!, point: { 'mix.x': 99, 'mix.y': 0 } }] };
    expect(() => optimizer.restore(broken)).toThrow(/outside/);
  });
});

describe('runtime parameters', () => {
  it('are those of the schema, change completely or not at all, and have effect', () => {
    const optimizer = after(bowl, 6, bowlAt);
    const before = optimizer.get_runtime_params();
    const runtime = BayesianSequentialOptimizer.svc_param_schema().filter((field) => field.runtime);
    expect(Object.keys(before).sort()).toEqual(runtime.map(({ key }) => key).sort());
    expect(() => optimizer.set_runtime_params({ beta: 3, seed: 1 })).toThrow(
      /"seed" is no runtime parameter/,
    );
    expect(() => optimizer.set_runtime_params({ beta: 'much' })).toThrow(/"much" is not a number/);
    expect(() => optimizer.set_runtime_params({ acquisition_function: 'qLogNEHVI' })).toThrow(/several/);
    expect(optimizer.get_runtime_params()).toEqual(before);
    optimizer.set_runtime_params({ acquisition_function: 'qUCB', beta: 100 });
    expect(optimizer.get_runtime_params()).toMatchObject({ acquisition_function: 'qUCB', beta: 100 });
    const same = after(bowl, 6, bowlAt);
    expect(optimizer.sample(1)).not.toEqual(same.sample(1));
  });
});

describe('the default acquisition function', () => {
  const next = (kind: 'qLogEI' | 'qLogNEI' | null, noise: number) => {
    const args = {
      ...bowl,
      num_initial_samples: 20,
      acquisition_function: { kind: kind ?? 'qUCB' },
    } as const;
    const rng = Rng.seeded('noise');
    const optimizer = after(args, 20, (row) => ({
      'score.loss': bowlAt(row)['score.loss'] + noise * rng.normal(),
    }));
    optimizer.set_runtime_params({ acquisition_function: kind });
    return optimizer.sample(1);
  };

  it('is expected improvement without noise, and noisy expected improvement with it', () => {
    expect(next(null, 0)).toEqual(next('qLogEI', 0));
    expect(next(null, 0)).not.toEqual(next('qLogNEI', 0));
    expect(next(null, 8)).toEqual(next('qLogNEI', 8));
    expect(next(null, 8)).not.toEqual(next('qLogEI', 8));
    expect(new BayesianSequentialOptimizer(bowl).get_runtime_params()['acquisition_function']).toBeNull();
  });
});

describe('explain', () => {
  it('reports the importance of inputs, the quality of the models and their predictions', () => {
    const optimizer = after({ ...bowl, num_initial_samples: 12 }, 12, ({ 'mix.x': x }) => ({
      'score.loss': Math.sin(Number(x)),
    }));
    const [proposed] = optimizer.sample(1);
    const { outputs, proposals, observed, proposed: expected } = optimizer.explain();
    expect(proposals).toEqual(['Acquisition function: qLogNEI. The results may be noisy.']);
    expect(outputs[0]!.sensitivities!['mix.x']).toBeGreaterThan(0.6);
    expect(outputs[0]!.left_out).toHaveLength(12);
    expect(outputs[0]!.timed_out).toBe(false);
    for (const { measured, expected: prediction } of observed) {
      const { mean, deviation } = prediction['score.loss']!;
      expect(Math.abs(mean - measured['score.loss']!)).toBeLessThan(0.1 + 4 * deviation);
    }
    expect(expected).toEqual([{ inputs: proposed, expected: { 'score.loss': expect.anything() } }]);
  });

  it('says how the next points are chosen, and why', () => {
    /** After twelve points with two results each. */
    const sentence = (
      results: (row: Table[number]) => [number, number],
      more: Partial<BayesianArguments> = {},
    ) => {
      const optimizer = new BayesianSequentialOptimizer({ ...bowl, ...more });
      const rows = optimizer.sample(12);
      for (const k of [0, 1] as const) {
        optimizer.report(
          rows,
          rows.map((row) => ({ 'score.loss': results(row)[k] })),
        );
      }
      return optimizer.explain().proposals;
    };
    const noisy = ({ 'mix.x': x }: Table[number]): [number, number] => [
      0.1 * Number(x) + 0.3,
      0.1 * Number(x),
    ];
    expect(sentence(() => [1, 1])).toEqual([expect.stringMatching(/^Points are spread/)]);
    expect(sentence(noisy)).toEqual([
      expect.stringMatching(/^Acquisition function: qLogNEI\. The results are noisy/),
    ]);
    const outputs = [continuousOutput('score.loss', minimize(), { at_most: -5 })];
    expect(sentence(noisy, { outputs })).toEqual([
      expect.stringMatching(/the probability to keep every threshold/),
    ]);
  });
});

describe('time limits', () => {
  it('end a fit and a search, and the sample reports that', () => {
    let time = 0;
    const optimizer = new BayesianSequentialOptimizer(
      { ...bowl, fit_time_limit: 0.01, proposal_time_limit: 0.01 },
      {
        now: () => (time += 5),
      },
    );
    const rows = optimizer.sample(8);
    optimizer.report(rows, rows.map(bowlAt));
    expect(optimizer.sample(1)).toHaveLength(1);
    expect(optimizer.last_sample().limits_used).toEqual(['fit_time_limit', 'proposal_time_limit']);
  });
});
