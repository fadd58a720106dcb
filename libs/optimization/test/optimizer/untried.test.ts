import { describe, expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { Domain } from '../../src/domain/domain.js';
import {
  BayesianSequentialOptimizer,
  categoricalInput,
  continuousInput,
  continuousOutput,
  maximize,
  type BayesianArguments,
} from '../../src/index.js';
import { withUntried } from '../../src/optimizer/untried.js';

const LIGANDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const args: BayesianArguments = {
  inputs: [categoricalInput('mix.ligand', LIGANDS), continuousInput('mix.x', [0, 1])],
  outputs: [continuousOutput('assay.yield', maximize())],
  num_initial_samples: 3,
  seed: 5,
};
type Row = Record<string, number | string>;

/** An acquisition function that is the number `x`, behind the eight columns of the ligands. */
class Slope implements AcquisitionFunction {
  readonly d = 9;
  readonly jointLimit = 1;
  value(points: Float64Array): number {
    return points[8]!;
  }
  values(points: Float64Array, m: number): Float64Array {
    return Float64Array.from({ length: m }, (_, i) => points[9 * i + 8]!);
  }
  gradient(points: Float64Array) {
    return { value: this.value(points), gradient: Float64Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1) };
  }
  withPending(): AcquisitionFunction {
    return this;
  }
}

/** An optimizer whose three first runs have three ligands, with results that differ much less than in x. */
function begun(more: Partial<BayesianArguments> = {}) {
  const optimizer = new BayesianSequentialOptimizer({ ...args, ...more });
  const known = ['a', 'b', 'c'];
  const rows = known.flatMap((ligand) => [0.2, 0.5, 0.8].map((x) => ({ 'mix.ligand': ligand, 'mix.x': x })));
  optimizer.report(
    rows,
    rows.map((row) => ({ 'assay.yield': yieldOf(row) })),
  );
  return { optimizer, known: new Set<unknown>(known) };
}
const yieldOf = (row: Row): number =>
  80 - 60 * (Number(row['mix.x']) - 0.6) ** 2 + LIGANDS.indexOf(String(row['mix.ligand']));
/** Positions of the rows that have to try a ligand, because there are more than two runs for each tried one, and do not. */
const missed = (rows: readonly Row[], known: ReadonlySet<unknown>): number[] => {
  const tried = new Set(known);
  return rows.flatMap(({ 'mix.ligand': ligand }, i) => {
    const isDue = tried.size < LIGANDS.length && 2 * tried.size < 9 + i;
    const isNew = !tried.has(ligand);
    tried.add(ligand);
    return isDue && !isNew ? [i] : [];
  });
};

describe('categories without a run', () => {
  it('get a run as soon as there are more than two for each tried one', () => {
    const { optimizer, known } = begun();
    const rows = Array.from({ length: 10 }, () => {
      const [row] = optimizer.sample(1) as [Row];
      optimizer.report([row], [{ 'assay.yield': yieldOf(row) }]);
      return row;
    });
    expect(missed(rows, known)).toEqual([]);
    expect(optimizer.explain().untried).toEqual([]);
  });

  it('get different rows of a batch', () => {
    const { optimizer, known } = begun();
    expect(missed(optimizer.sample(8) as Row[], known)).toEqual([]);
  });

  it('are compared by the acquisition value, which no other row reaches', () => {
    const domain = Domain.of({ inputs: args.inputs, outputs: args.outputs, constraints: [] });
    const at = (ligand: string, x: number) => domain.encode({ 'mix.ligand': ligand, 'mix.x': x });
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    const twelve = [0.4, 0.5].flatMap((x) => six.map((ligand) => at(ligand, x)));
    const runs = [...twelve, at('a', 0.6)];
    const inner = new Slope();
    const turn = withUntried(inner, domain, runs);
    const [g, h, a] = [
      turn.values(at('g', 0.9), 1),
      turn.values(at('h', 0.4), 1),
      turn.values(at('a', 1), 1),
    ];
    expect([g[0], h[0]]).toEqual([0.9, 0.4]);
    expect(a[0]).toBeLessThan(-1000);
    expect(withUntried(inner, domain, twelve).values(at('a', 1), 1)[0]).toBe(1);
    const next = turn.withPending(at('g', 0.9), 1);
    expect(next.values(at('a', 1), 1)[0]).toBe(1);
    expect(next.withPending(at('h', 0.9), 1)).toBe(inner);
    expect(withUntried(inner, domain, [...runs, at('g', 0), at('h', 0)])).toBe(inner);
  });

  it('are listed by explain, and a failed run counts', () => {
    const { optimizer } = begun();
    optimizer.report_failed([{ 'mix.ligand': 'd', 'mix.x': 0.4 }]);
    optimizer.report_started([{ 'mix.ligand': 'f', 'mix.x': 0.4 }]);
    expect(optimizer.explain().untried).toEqual(
      ['e', 'g', 'h'].map((category) => ({ input: 'mix.ligand', category })),
    );
    expect(optimizer.explain().proposals[1]).toMatch(/^Categories: 3 categories have no run\. /);
  });

  it('are left to the models if they have descriptors', () => {
    const descriptors = Object.fromEntries(LIGANDS.map((name, k) => [name, [(k * 5) % 8]]));
    const { optimizer } = begun({
      inputs: [categoricalInput('mix.ligand', LIGANDS, { descriptors }), continuousInput('mix.x', [0, 1])],
    });
    expect(optimizer.explain().untried).toEqual([]);
  });
});
