import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  Domain,
  HybridOptimizer,
  linearEquality,
  linearInequality,
  minimize,
  nChooseK,
  type Constraint,
  type Input,
  type Point,
} from '../../src/index.js';
import { ScriptedModels } from '../scripted-models.js';

const outputs = [continuousOutput('test.loss', minimize())];
const shares = ['mix.a', 'mix.b', 'mix.c'];

interface Declared {
  inputs: Input[];
  constraints: Constraint[];
}

const domains: Declared[] = [
  {
    inputs: [
      ...shares.map((key) => continuousInput(key, [0, 1])),
      continuousInput('mix.speed', [100, 900], { step: 50 }),
      categoricalInput('mix.solvent', ['water', 'ethanol']),
    ],
    constraints: [
      linearEquality(shares, [1, 1, 1], 1),
      nChooseK(shares, { min_count: 1, max_count: 2 }),
      linearInequality(['mix.a', 'mix.speed'], [400, 1], 1000),
    ],
  },
  {
    inputs: [discreteInput('mix.time', [1, 2, 4, 8]), discreteInput('mix.volume', [0, 10, 20, 40, 80])],
    constraints: [linearInequality(['mix.time', 'mix.volume'], [10, 1], 100)],
  },
  { inputs: [continuousInput('mix.x', [-1, 1])], constraints: [] },
];

/** A value that a model might give for an input: right, nearly right, or of another kind. */
const valueOf = (input: Input): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: rightValueOf(input) },
    { weight: 1, arbitrary: fc.constantFrom(null, true, '', '5', 'water', [], {}, -0, 1e308, 1e-300) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, min: -2000, max: 2000 }) },
  );

function rightValueOf(input: Input): fc.Arbitrary<unknown> {
  switch (input.kind) {
    case 'categorical':
      return fc.constantFrom(...input.categories);
    case 'discrete':
      return fc.constantFrom(...input.values);
    case 'continuous': {
      const [lower, upper] = input.bounds;
      const values = [0, 0.25, 1 / 3, 0.333, 0.5, 0.67, 1].map((u) => lower + u * (upper - lower));
      return fc.oneof(fc.constantFrom(...values), fc.double({ noNaN: true, min: lower, max: upper }));
    }
  }
}

const keyOf = (key: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(key) },
    { weight: 1, arbitrary: fc.constantFrom(key.toUpperCase(), key.replace('.', '_'), 'mix', '__proto__') },
  );

const rowOf = ({ inputs }: Declared): fc.Arbitrary<unknown> =>
  fc
    .tuple(...inputs.map((input) => fc.tuple(keyOf(input.key), valueOf(input))))
    .map((entries) => Object.fromEntries(entries));

/** Possible answers of a model, most of them nearly right. Undefined: the model fails without an answer. */
const answerOf = (declared: Declared, count: number): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.string(), fc.array(rowOf(declared), { minLength: count, maxLength: count }))
        .map(([journal, suggestions]) => JSON.stringify({ journal, suggestions })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(rowOf(declared), { maxLength: 4 })
        .map((suggestions) => JSON.stringify({ suggestions })),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

describe('with any answer of a model', () => {
  it('every sample has the requested number of rows, all feasible and new', async () => {
    const sources = { ai: 0, optimizer: 0, given: 0 };
    const campaign = fc.constantFrom(...domains).chain((declared) =>
      fc.record({
        declared: fc.constant(declared),
        samples: fc.array(
          fc.integer({ min: 1, max: 3 }).chain((count) =>
            fc.record({
              count: fc.constant(count),
              answers: fc.array(answerOf(declared, count), { minLength: 1, maxLength: 3 }),
            }),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(campaign, async ({ declared, samples }) => {
        let answers: (string | undefined)[] = [];
        const models = new ScriptedModels(() => {
          const said = answers.shift();
          if (said === undefined) throw new Error('no answer');
          return said;
        });
        const optimizer = new HybridOptimizer({
          ...declared,
          outputs,
          p_ai: 1,
          ai_model: 'script:any',
          num_initial_samples: 100,
        });
        optimizer.connect(models.host());
        const domain = Domain.of({ ...declared, outputs });
        const seen: Point[] = [];
        for (const [i, sample] of samples.entries()) {
          answers = [...sample.answers];
          const names = Array.from({ length: sample.count }, (_, k) => `c/${i}-${k}`);
          const rows = await optimizer.sample(sample.count, names);
          expect(rows).toHaveLength(sample.count);
          for (const row of rows) {
            expect(domain.validate(row, { pending: seen })).toEqual([]);
            seen.push(row);
          }
          for (const { source, note } of optimizer.last_sample().rows) {
            sources[source] += 1;
            expect(note.fallback === undefined).toBe(source === 'ai');
          }
        }
      }),
      { numRuns: 60 },
    );
    // Both branches must occur, otherwise the test proves little.
    expect(sources.ai).toBeGreaterThan(5);
    expect(sources.optimizer).toBeGreaterThan(5);
  }, 120_000);
});
