import { isServiceError, type Fault } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import {
  categoricalInput,
  closeToTarget,
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
import type { Constraint, Input, Point, Space } from '../../src/domain/space.js';

const cost = continuousOutput('measure.cost', minimize());

function space(inputs: Input[], constraints: Constraint[] = [], outputs = [cost]): Space {
  return { inputs, outputs, constraints };
}

function faultsOf(declared: Space): readonly Fault[] {
  try {
    Domain.of(declared);
  } catch (error) {
    if (isServiceError(error) && error.code === 'invalid') return error.faults;
    throw error;
  }
  return [];
}

const codesOf = (declared: Space) => faultsOf(declared).map(({ path, code }) => `${path} ${code}`);

const acid = continuousInput('mix.acid', [0, 10]);
const water = continuousInput('mix.water', [0, 100]);
const hot = discreteInput('heat.temperature', [25, 40, 80]);
const solvent = categoricalInput('mix.solvent', ['ethanol', 'acetone', 'toluene']);
const dose = continuousInput('mix.dose', [0.1, 0.7], { step: 0.1 });
const described = (descriptors: Record<string, number[]>) =>
  space([categoricalInput('a', ['x', 'y'], { descriptors })]);

describe('the check of a declaration', () => {
  it.each<[string, Space, string[]]>([
    ['no inputs', space([]), ['inputs no_inputs']],
    ['an empty key', space([continuousInput('', [0, 1])]), ['inputs[0].key key']],
    ['a key twice', space([acid, acid]), ['inputs[1].key duplicate_key']],
    [
      'a key of an input and an output',
      space([acid], [], [continuousOutput('mix.acid', maximize())]),
      ['outputs[0].key duplicate_key'],
    ],
    ['reversed bounds', space([continuousInput('a', [1, 0])]), ['inputs[0].bounds bounds']],
    ['equal bounds', space([continuousInput('a', [1, 1])]), ['inputs[0].bounds bounds']],
    ['a bound that is no number', space([continuousInput('a', [NaN, 1])]), ['inputs[0].bounds bounds']],
    ['bounds too far apart', space([continuousInput('a', [-1e308, 1e308])]), ['inputs[0].bounds bounds']],
    ['no upper bound', space([continuousInput('a', [0, Infinity])]), ['inputs[0].bounds unbounded']],
    ['a step past the end', space([continuousInput('a', [0, 1], { step: 0.3 })]), ['inputs[0].step step']],
    ['a step of 0', space([continuousInput('a', [0, 1], { step: 0 })]), ['inputs[0].step step']],
    ['a step too large', space([continuousInput('a', [0, 1], { step: 2 })]), ['inputs[0].step step']],
    ['no values', space([discreteInput('a', [])]), ['inputs[0].values empty']],
    ['a value twice', space([discreteInput('a', [1, 2, 1])]), ['inputs[0].values[2] duplicate']],
    ['an infinite value', space([discreteInput('a', [1, Infinity])]), ['inputs[0].values[1] value']],
    ['no categories', space([categoricalInput('a', [])]), ['inputs[0].categories empty']],
    ['a category twice', space([categoricalInput('a', ['x', 'x'])]), ['inputs[0].categories[1] duplicate']],
    ['descriptors in a list', described([[1], [2]] as never), ['inputs[0].descriptors type']],
    ['a category without descriptors', described({ x: [1] }), ['inputs[0].descriptors.y missing']],
    [
      'descriptors of nothing',
      described({ x: [1], y: [2], z: [3] }),
      ['inputs[0].descriptors.z unknown_category'],
    ],
    ['an infinite descriptor', described({ x: [1], y: [Infinity] }), ['inputs[0].descriptors.y descriptors']],
    ['no descriptor', described({ x: [], y: [2] }), ['inputs[0].descriptors.x descriptors']],
    ['uneven descriptors', described({ x: [1, 2], y: [2] }), ['inputs[0].descriptors.y length']],
    ['no objective', space([acid], [], []), ['outputs no_objective']],
    [
      'an output for nothing',
      space([acid], [], [cost, continuousOutput('measure.b', null)]),
      ['outputs[1] no_purpose'],
    ],
    [
      'a weight of 0',
      space([acid], [], [continuousOutput('b', minimize(0))]),
      ['outputs[0].objective.weight weight'],
    ],
    [
      'an infinite target',
      space([acid], [], [continuousOutput('b', closeToTarget(Infinity))]),
      ['outputs[0].objective.target target'],
    ],
    [
      'thresholds that exclude each other',
      space([acid], [], [continuousOutput('b', minimize(), { at_least: 2, at_most: 1 })]),
      ['outputs[0].constraint threshold'],
    ],
    [
      'an unknown feature',
      space([acid], [linearInequality(['mix.wine'], [1], 1)]),
      ['constraints[0].features[0] unknown_feature'],
    ],
    [
      'a categorical feature',
      space([acid, solvent], [linearInequality(['mix.acid', 'mix.solvent'], [1, 1], 1)]),
      ['constraints[0].features[1] categorical_feature'],
    ],
    [
      'too few coefficients',
      space([acid, water], [linearEquality(['mix.acid', 'mix.water'], [1], 1)]),
      ['constraints[0].coefficients length'],
    ],
    [
      'a coefficient and a right side that are no numbers',
      space([acid], [linearInequality(['mix.acid'], [NaN], Infinity)]),
      ['constraints[0].coefficients[0] coefficient', 'constraints[0].rhs rhs'],
    ],
    [
      'more features asked for than there are',
      space([acid, water], [nChooseK(['mix.acid', 'mix.water'], { max_count: 3 })]),
      ['constraints[0] count'],
    ],
  ])('names %s', (_, declared, expected) => {
    expect(codesOf(declared)).toEqual(expected);
    expect(faultsOf(declared).every(({ message }) => message.length > 0)).toBe(true);
  });

  const plain = (changes: Record<string, unknown>): Space =>
    JSON.parse(
      JSON.stringify({ inputs: [acid], outputs: [cost], constraints: [], ...changes }),
    ) as unknown as Space;
  it.each<[string, Record<string, unknown>, string]>([
    ['no list of inputs', { inputs: { a: [0, 1] } }, 'inputs type: "inputs" is {"a":[0,1]}, not a list'],
    ['no inputs at all', { inputs: undefined }, 'inputs type: "inputs" is missing, not a list'],
    ['no constraints at all', { constraints: null }, 'constraints type: "constraints" is null, not a list'],
    ['an input that is a name', { inputs: ['mix.acid'] }, 'inputs[0] type: The input is "mix.acid", not an'],
    ['an input without kind', { inputs: [{ key: 'a', bounds: [0, 1] }] }, 'inputs[0].kind kind: The kind is'],
    [
      'an unknown kind',
      { inputs: [{ ...acid, kind: 'constructor' }] },
      'inputs[0].kind kind: "constructor" is no kind of input (Use continuous, discrete or categorical)',
    ],
    [
      'a key that is no text',
      { inputs: [{ ...acid, key: 7 }] },
      'inputs[0].key key: "key" is 7 (Name it TASK.PARAMETER)',
    ],
    [
      'bounds as texts',
      { inputs: [{ ...acid, bounds: ['0', '10'] }] },
      'inputs[0].bounds bounds: "bounds" is ["0","10"] (Give [lower, upper])',
    ],
    [
      'three bounds',
      { inputs: [{ ...acid, bounds: [0, 1, 2] }] },
      'inputs[0].bounds bounds: "bounds" is [0,1,2]',
    ],
    [
      'a field that there is not',
      { inputs: [{ ...acid, steps: 1 }] },
      'inputs[0].steps unknown_field: There is no "steps" in this input (Fields: key, bounds, step)',
    ],
    [
      'values that are no list',
      { inputs: [{ kind: 'discrete', key: 'a', values: 3 }] },
      'inputs[0].values type: "values" is 3',
    ],
    [
      'an output without objective',
      { outputs: [{ key: 'a' }] },
      'outputs[0].objective type: "objective" is missing (Give an object or null)',
    ],
    [
      'an objective that is a word',
      { outputs: [{ key: 'a', objective: 'minimize' }] },
      'outputs[0].objective type: "objective" is "minimize"',
    ],
    [
      'an objective without weight',
      { outputs: [{ key: 'a', objective: { kind: 'minimize' } }] },
      'outputs[0].objective.weight type: "weight" is missing (Give a number)',
    ],
    [
      'an unknown threshold',
      { outputs: [{ ...cost, constraint: { min: 0 } }] },
      'outputs[0].constraint.min unknown_field: There is no "min" in this threshold (Fields: at_least, at_most)',
    ],
    [
      'features that are one name',
      { constraints: [{ kind: 'linear_equality', features: 'mix.acid', coefficients: [1], rhs: 1 }] },
      'constraints[0].features type: "features" is "mix.acid" (Give a list)',
    ],
    [
      'counts as texts',
      {
        constraints: [
          { kind: 'n_choose_k', features: [], min_count: 0, max_count: '1', none_also_valid: true },
        ],
      },
      'constraints[0].max_count type: "max_count" is "1" (Give a number)',
    ],
  ])('names %s where no types are checked', (_, changes, expected) => {
    const told = faultsOf(plain(changes)).map(
      ({ path, code, message, hint }) => `${path} ${code}: ${message} (${hint})`,
    );
    expect(told).toEqual([expect.stringContaining(expected)]);
  });

  it('names a value that is not a declaration', () => {
    for (const nothing of [undefined, null, 'space', [], 3]) {
      expect(codesOf(nothing as unknown as Space)).toEqual([' type']);
    }
  });

  it('names all faults at once with a correction', () => {
    const faults = faultsOf(space([continuousInput('a', [0, 1], { step: 0.3 }), discreteInput('b', [])]));
    expect(faults).toHaveLength(2);
    expect(faults[0]!.hint).toContain('[0, 0.8999');
  });
});

describe('an input without finite bounds', () => {
  const endless = continuousInput('mix.water', [0, Infinity]);

  it('gets the bounds that the constraints imply', () => {
    const sum = linearEquality(['mix.acid', 'mix.water'], [1, 2], 30);
    const [fault] = faultsOf(space([acid, endless], [sum]));
    expect(fault).toMatchObject({ path: 'inputs[1].bounds', code: 'unbounded' });
    expect(fault!.hint).toContain('[10, 15]');
  });

  it('is refused when no constraint bounds it', () => {
    const atLeast = linearInequality(['mix.acid', 'mix.water'], [-1, -1], -5);
    expect(faultsOf(space([acid, endless], [atLeast]))[0]!.hint).toContain('No constraint bounds it');
  });
});

describe('constraints that no point satisfies', () => {
  it('are named, and no others', () => {
    const declared = space(
      [acid, water],
      [
        linearInequality(['mix.acid'], [1], 9),
        linearEquality(['mix.acid', 'mix.water'], [1, 1], 60),
        linearInequality(['mix.water'], [1], 95),
        linearInequality(['mix.acid', 'mix.water'], [1, 1], 50),
      ],
    );
    expect(codesOf(declared)).toEqual(['constraints[1] empty_domain', 'constraints[3] empty_domain']);
    const [first] = faultsOf(declared);
    expect(first!.message).toContain('mix.acid + mix.water = 60');
    expect(first!.message).toContain('mix.acid + mix.water <= 50');
    expect(first!.message).toContain('mix.water lies in [0, 100]');
  });

  it('are found when the bounds make one impossible', () => {
    expect(codesOf(space([acid], [linearInequality(['mix.acid'], [-1], -11)]))).toEqual([
      'constraints[0] empty_domain',
    ]);
  });

  it('are found when steps and values cannot sum up', () => {
    const a = continuousInput('a', [0, 1], { step: 0.25 });
    const b = discreteInput('b', [0, 0.5]);
    expect(codesOf(space([a, b], [linearEquality(['a', 'b'], [1, 1], 0.6)]))).toEqual([
      'constraints[0] empty_domain',
    ]);
    expect(codesOf(space([a, b], [linearEquality(['a', 'b'], [1, 1], 0.75)]))).toEqual([]);
  });

  it('are found when a sum needs more features than permitted', () => {
    const parts = ['a', 'b', 'c'].map((key) => continuousInput(key, [0, 0.4]));
    const sum = linearEquality(['a', 'b', 'c'], [1, 1, 1], 1);
    const two = nChooseK(['a', 'b', 'c'], { max_count: 2 });
    expect(codesOf(space(parts, [sum, two]))).toEqual([
      'constraints[0] empty_domain',
      'constraints[1] empty_domain',
    ]);
    expect(codesOf(space(parts, [sum]))).toEqual([]);
  });

  it('do not include a sum of zero when no feature must be used', () => {
    const parts = ['a', 'b'].map((key) => continuousInput(key, [0, 1]));
    const zero = linearEquality(['a', 'b'], [1, 1], 0);
    const least = { min_count: 1, max_count: 2 };
    expect(codesOf(space(parts, [zero, nChooseK(['a', 'b'], least)]))).toHaveLength(2);
    const domain = Domain.of(space(parts, [zero, nChooseK(['a', 'b'], { ...least, none_also_valid: true })]));
    expect(domain.sample(2, 'SOBOL', Rng.seeded(1))).toEqual({ points: [{ a: 0, b: 0 }], exhausted: true });
  });
});

describe('validate', () => {
  const domain = Domain.of(
    space(
      [acid, water, hot, solvent, dose],
      [
        linearInequality(['mix.acid', 'mix.water'], [2, 1], 50),
        nChooseK(['mix.acid', 'mix.water'], { min_count: 1, max_count: 1 }),
      ],
    ),
  );
  const good: Point = {
    'mix.acid': 5,
    'mix.water': 0,
    'heat.temperature': 40,
    'mix.solvent': 'acetone',
    'mix.dose': 0.3,
  };

  it('accepts a point as people and machines write it', () => {
    expect(domain.validate(good)).toEqual([]);
    expect(domain.validate({ ...good, 'mix.dose': 0.1 + 0.1 + 0.1 })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a point that is none', null, ' type'],
    ['an unknown key', { ...good, 'mix.wine': 1 }, 'mix.wine unknown_key'],
    ['a text for a number', { ...good, 'mix.acid': '5' }, 'mix.acid type'],
    ['no number', { ...good, 'mix.acid': NaN }, 'mix.acid not_finite'],
    ['infinity', { ...good, 'mix.acid': Infinity }, 'mix.acid not_finite'],
    ['a value out of bounds', { ...good, 'mix.acid': 10.0001 }, 'mix.acid bounds'],
    ['a value between steps', { ...good, 'mix.dose': 0.35 }, 'mix.dose step'],
    ['a value that is not listed', { ...good, 'heat.temperature': 41 }, 'heat.temperature value'],
    ['an unknown category', { ...good, 'mix.solvent': 'wine' }, 'mix.solvent category'],
    ['a sum that is too large', { ...good, 'mix.acid': 0, 'mix.water': 51 }, 'constraints[0] constraint'],
    ['too many features', { ...good, 'mix.water': 1e-3 }, 'constraints[1] constraint'],
    ['too few features', { ...good, 'mix.acid': 0 }, 'constraints[1] constraint'],
  ])('names %s', (_, point, expected) => {
    expect(domain.validate(point).map(({ path, code }) => `${path} ${code}`)).toEqual([expected]);
  });

  it('names a missing key with a correction', () => {
    const { 'heat.temperature': _, ...rest } = good;
    const [fault] = domain.validate(rest);
    expect(fault).toMatchObject({ path: 'heat.temperature', code: 'missing_key' });
    expect(fault!.hint).toContain('one of 25, 40, 80');
  });

  it('names repetitions of completed or pending runs, whatever their last digits', () => {
    const near = { ...good, 'mix.acid': 5 + 1e-12, 'mix.dose': 0.30000000000000004 };
    expect(domain.validate(near, { done: [good] })).toMatchObject([{ code: 'duplicate' }]);
    expect(domain.validate(near, { pending: [good] })).toMatchObject([{ code: 'duplicate' }]);
    expect(domain.validate({ ...good, 'mix.acid': 5.01 }, { done: [good] })).toEqual([]);
  });
});

describe('encoded rows', () => {
  const domain = Domain.of(space([acid, hot, solvent, dose]));

  it('scale numbers to [0, 1] and give each category a column', () => {
    const point = {
      'mix.acid': 2.5,
      'heat.temperature': 80,
      'mix.solvent': 'toluene',
      'mix.dose': 0.1 + 0.2,
    };
    const row = domain.encode(point);
    expect([...row.slice(0, 5)]).toEqual([0.25, 1, 0, 0, 1]);
    expect(row[5]).toBeCloseTo(1 / 3, 15);
    expect(domain.decode(row)).toEqual({ ...point, 'mix.dose': 0.3 });
    expect(domain.columns.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
      'mix.acid continuous',
      'heat.temperature discrete',
      'mix.solvent categorical',
      'mix.solvent categorical',
      'mix.solvent categorical',
      'mix.dose stepped',
    ]);
  });

  it('scale the descriptors of categories, and leave out those that do not differ', () => {
    const descriptors = { x: [200, 5, -1e308], y: [300, 5, 1e308], z: [250, 5, 0] };
    const input = categoricalInput('a', ['x', 'y', 'z'], { descriptors });
    expect(Domain.of(space([input])).columns.map((column) => column.descriptors)).toEqual([
      [0, 0],
      [1, 1],
      [0.5, 0.5],
    ]);
    const same = categoricalInput('a', ['x', 'y'], { descriptors: { x: [1], y: [1] } });
    expect(Domain.of(space([same])).columns[0]!.descriptors).toBeUndefined();
  });

  it('lead from any row to the nearest values', () => {
    expect(domain.decode(Float64Array.of(-0.2, 0.4, 0.2, 0.7, 0.3, 1.4))).toEqual({
      'mix.acid': 0,
      'heat.temperature': 40,
      'mix.solvent': 'acetone',
      'mix.dose': 0.7,
    });
  });

  it('never lead past a bound, however they are rounded', () => {
    const bounds = [-200 / 3, 700 / 3] as const;
    const third = Domain.of(space([continuousInput('mix.third', bounds, { step: 100 / 3 })]));
    const values = third.rows().map((row) => third.decode(row)['mix.third']);
    expect(values).toEqual([-200 / 3, -33.3333333333, 0, 33.3333333333, ...values.slice(4, 9), 700 / 3]);
    const narrow = continuousInput('mix.narrow', [0.1, 0.1 + 0.7]);
    const domain = Domain.of(space([narrow]));
    for (const u of [0, 1e-17, 1 - 1e-16, 1 - 2 ** -53, 1]) {
      const value = domain.decode(Float64Array.of(u))['mix.narrow'] as number;
      expect(value).toBeGreaterThanOrEqual(narrow.bounds[0]);
      expect(value).toBeLessThanOrEqual(narrow.bounds[1]);
    }
  });

  it('change one step, value or category at a time', () => {
    const row = domain.encode({
      'mix.acid': 2.5,
      'heat.temperature': 40,
      'mix.solvent': 'acetone',
      'mix.dose': 0.1,
    });
    const near = domain.neighbours(row).map((other) => domain.decode(other));
    expect(near).toHaveLength(2 + 2 + 1);
    expect(near.every((point) => point['mix.acid'] === 2.5)).toBe(true);
  });
});
