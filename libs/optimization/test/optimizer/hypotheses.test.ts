import { describe, expect, it } from 'vitest';
import {
  BayesianSequentialOptimizer,
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  maximize,
  minimize,
  type BayesianArguments,
} from '../../src/index.js';

/** Proposals that are good on average of several hypotheses about the hyperparameters. */

const LIGANDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const STEPS = Array.from({ length: 20 }, (_, i) => i);
const base: BayesianArguments = {
  inputs: [categoricalInput('mix.ligand', LIGANDS), discreteInput('mix.x', STEPS)],
  outputs: [continuousOutput('assay.yield', maximize())],
  seed: 7,
};

/** An optimizer with `runs` results, of every category in turn. */
function after(runs: number, more: Partial<BayesianArguments> = {}): BayesianSequentialOptimizer {
  const optimizer = new BayesianSequentialOptimizer({ ...base, ...more });
  const ligands = (more.inputs ?? base.inputs).flatMap((input) =>
    input.kind === 'categorical' ? [input.categories] : [],
  )[0]!;
  const rows = Array.from({ length: runs }, (_, i) => ({
    'mix.ligand': ligands[i % ligands.length]!,
    'mix.x': STEPS[(i * 7 + Math.floor(i / 20)) % 20]!,
  }));
  const outputs = optimizer.get_output_names();
  const results = rows.map((row, i) =>
    Object.fromEntries(
      outputs.map((key, k) => [
        key,
        80 - (row['mix.x'] - 12) ** 2 / 4 + 5 * ligands.indexOf(row['mix.ligand']) + 3 * k * Math.sin(i),
      ]),
    ),
  );
  optimizer.report(rows, results);
  return optimizer;
}

const sentences = (optimizer: BayesianSequentialOptimizer): string[] =>
  optimizer.explain().proposals.filter((each) => each.startsWith('Hypotheses'));

describe('several hypotheses', () => {
  it('decide about categories with few results', () => {
    expect(sentences(after(12))).toEqual([
      'Hypotheses: while results of other runs are missing, a point counts by its mean worth in several likely fits. Few results hardly tell how alike two categories are.',
    ]);
    const proposals = (hypotheses: BayesianArguments['hypotheses']) => after(12, { hypotheses }).sample(6);
    expect(proposals('automatic')).toEqual(proposals('several'));
    expect(proposals('automatic')).not.toEqual(proposals('one'));
  });

  it('do not by default where each result is known before the next proposal', () => {
    const next = (hypotheses: BayesianArguments['hypotheses'], isBusy: boolean) => {
      const optimizer = after(12, { hypotheses });
      if (isBusy) optimizer.report_started([{ 'mix.ligand': 'f', 'mix.x': 11 }]);
      return optimizer.sample(1);
    };
    expect(next('automatic', false)).toEqual(next('one', false));
    expect(next('automatic', true)).toEqual(next('several', true));
  });

  it('give the same proposals from the same runs', () => {
    const first = after(12);
    const again = new BayesianSequentialOptimizer(base);
    again.restore(first.state());
    expect(again.sample(3)).toEqual(first.sample(3));
  });

  const descriptors = Object.fromEntries(LIGANDS.map((name, i) => [name, [i]]));
  it.each([
    ['more than 100 results', 101, {}],
    ['a continuous input', 12, { inputs: [base.inputs[0]!, continuousInput('mix.x', [0, 19])] }],
    [
      'more than 5,000 combinations',
      12,
      {
        inputs: [
          base.inputs[0]!,
          discreteInput(
            'mix.x',
            Array.from({ length: 834 }, (_, i) => i),
          ),
        ],
      },
    ],
    ['two categories', 12, { inputs: [categoricalInput('mix.ligand', ['a', 'b']), base.inputs[1]!] }],
    [
      'descriptors',
      12,
      { inputs: [categoricalInput('mix.ligand', LIGANDS, { descriptors }), base.inputs[1]!] },
    ],
    [
      'several objectives',
      12,
      {
        outputs: [continuousOutput('assay.yield', maximize()), continuousOutput('assay.cost', minimize())],
      },
    ],
    ['perceptrons', 12, { surrogate: 'mlp' as const }],
    ['qUCB', 12, { acquisition_function: { kind: 'qUCB' as const } }],
    ['the setting', 12, { hypotheses: 'one' as const }],
  ] satisfies [string, number, Partial<BayesianArguments>][])(
    'do not by default with %s',
    (_, runs, more) => {
      expect(sentences(after(runs, more))).toEqual([]);
    },
  );

  it('decide where the setting asks for them, also while a campaign runs', () => {
    const inputs = [base.inputs[0]!, continuousInput('mix.x', [0, 19])];
    const optimizer = after(12, { inputs });
    optimizer.set_runtime_params({ hypotheses: 'several' });
    expect(sentences(optimizer)).toEqual([
      'Hypotheses: a point counts by its mean worth in several likely fits. The setting "hypotheses" asks for it.',
    ]);
    expect(optimizer.sample(2)).not.toEqual(after(12, { inputs }).sample(2));
  });

  it('are refused for qUCB, which has no expected improvement', () => {
    const acquisition_function = { kind: 'qUCB' as const };
    expect(() => after(12, { hypotheses: 'several', acquisition_function })).toThrow(
      'hypotheses: several hypotheses have a mean expected improvement, and qUCB has none',
    );
    expect(() => after(12, { hypotheses: 'some' as never })).toThrow(/hypotheses: "some" is not possible/);
  });
});
