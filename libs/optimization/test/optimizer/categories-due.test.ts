import { describe, expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { Domain } from '../../src/domain/domain.js';
import {
  BayesianSequentialOptimizer,
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  maximize,
  type BayesianArguments,
} from '../../src/index.js';
import { categoriesDue, withCategoriesDue } from '../../src/optimizer/categories-due.js';

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
    const turn = withCategoriesDue(inner, domain, runs, null);
    const [g, h, a] = [
      turn.values(at('g', 0.9), 1),
      turn.values(at('h', 0.4), 1),
      turn.values(at('a', 1), 1),
    ];
    expect([g[0], h[0]]).toEqual([0.9, 0.4]);
    expect(a[0]).toBeLessThan(-1000);
    expect(withCategoriesDue(inner, domain, twelve, null).values(at('a', 1), 1)[0]).toBe(1);
    const next = turn.withPending(at('g', 0.9), 1);
    expect(next.values(at('a', 1), 1)[0]).toBe(1);
    expect(next.withPending(at('h', 0.9), 1).values(at('a', 1), 1)[0]).toBe(1);
    const bowl = Domain.of({ inputs: args.inputs.slice(1), outputs: args.outputs, constraints: [] });
    expect(withCategoriesDue(inner, bowl, runs, null)).toBe(inner);
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

describe('categories beside that of the best run', () => {
  const table = (names: readonly string[], levels: number[] = [0, 0.25, 0.5, 0.75, 1]) =>
    Domain.of({
      inputs: [categoricalInput('mix.ligand', [...names]), discreteInput('mix.x', levels)],
      outputs: args.outputs,
      constraints: [],
    });
  /** Rows of a domain by their ligands; the numbers do not matter. */
  const rowsOf = (domain: Domain, ligands: string) =>
    Array.from(ligands, (ligand) => domain.encode({ 'mix.ligand': ligand, 'mix.x': 0.5 }));
  const dueOf = (domain: Domain, ligands: string, best: string | null) => {
    const due = categoriesDue(
      domain,
      rowsOf(domain, ligands),
      best === null ? null : rowsOf(domain, best)[0]!,
    );
    return due && { ...due, columns: due.columns.map((j) => LIGANDS[j]).join('') };
  };

  it('are due when it has more than half of the runs of a table', () => {
    const domain = table(LIGANDS);
    expect(dueOf(domain, 'abcdefghaaaaaa', 'a')).toBeNull();
    expect(dueOf(domain, 'abcdefghaaaaaaa', 'a')).toEqual({ reason: 'crowded', columns: 'bcdefgh' });
    // The best run has another category.
    expect(dueOf(domain, 'abcdefghaaaaaaa', 'b')).toBeNull();
    // With several objectives, no run is the best one.
    expect(dueOf(domain, 'abcdefghaaaaaaa', null)).toBeNull();
  });

  it('have three runs each at most for this reason', () => {
    const five = table(LIGANDS.slice(0, 5));
    const many = 'a'.repeat(40);
    expect(dueOf(five, `${many}bbbbbccccde`, 'a')?.columns).toBe('bcde');
    expect(dueOf(five, `${many}bbbbbcccccde`, 'a')).toBeNull();
  });

  it('are due only in a table, of an input with five categories or more', () => {
    const rows = 'abcdaaaaaaa';
    expect(dueOf(table(LIGANDS.slice(0, 4)), rows, 'a')).toBeNull();
    const continuous = Domain.of({ inputs: args.inputs, outputs: args.outputs, constraints: [] });
    expect(dueOf(continuous, 'abcdefghaaaaaaa', 'a')).toBeNull();
  });

  it('get every second run of a batch, and explain says so', () => {
    const optimizer = new BayesianSequentialOptimizer({
      ...args,
      inputs: [
        categoricalInput('mix.ligand', LIGANDS),
        discreteInput(
          'mix.x',
          Array.from({ length: 40 }, (_, i) => i / 39),
        ),
      ],
    });
    // The first ligand is much better than all others, so that the models want nothing else.
    const result = (row: Row) =>
      (row['mix.ligand'] === 'a' ? 60 : 0) - 20 * (Number(row['mix.x']) - 0.6) ** 2;
    const rows = [...LIGANDS, ...'aaaaaaaaa'].map((ligand, i) => ({ 'mix.ligand': ligand, 'mix.x': i / 39 }));
    optimizer.report(
      rows,
      rows.map((row) => ({ 'assay.yield': result(row) })),
    );
    expect(optimizer.explain().proposals[1]).toMatch(
      /^Categories: the best run shares its category of mix\.ligand with more than half of all runs\. /,
    );
    const ligands = optimizer.sample(7).map((row) => (row['mix.ligand'] === 'a' ? 'a' : '-'));
    // Ten of 17 runs have the best ligand: three others make it half of all.
    expect(ligands.join('')).toBe('---a-a-');
    expect(optimizer.explain().proposals[1]).toMatch(/^Exploration: /);
  });
});

describe('one run in five of a table', () => {
  const levels = Array.from({ length: 20 }, (_, i) => i / 19);
  const inputs = [categoricalInput('mix.ligand', LIGANDS), discreteInput('mix.x', levels)];
  /** 15 runs. The first ligand is the best one and has seven of them. */
  const optimizerWith = (more: Partial<BayesianArguments>) => {
    const optimizer = new BayesianSequentialOptimizer({ ...args, inputs, ...more });
    const rows = [...LIGANDS, ...'aaaaaab'].map((ligand, i) => ({
      'mix.ligand': ligand,
      'mix.x': levels[i]!,
    }));
    optimizer.report(
      rows,
      rows.map((row) => ({
        'assay.yield': (row['mix.ligand'] === 'a' ? 40 : 0) + 50 * Math.sin(3 * row['mix.x']),
      })),
    );
    return optimizer;
  };
  const sentences = (more: Partial<BayesianArguments>) =>
    optimizerWith(more)
      .explain()
      .proposals.filter((sentence) => sentence.startsWith('Exploration: '));

  it('has the highest confidence bound, whether it is one of a batch or not', () => {
    const rows = optimizerWith({}).sample(5);
    const others = optimizerWith({ acquisition_function: { kind: 'qLogEI' } }).sample(5);
    expect(rows.slice(0, 4)).toEqual(others.slice(0, 4));
    expect(rows[4]).not.toEqual(others[4]);
    const next = (more: Partial<BayesianArguments>) => {
      const optimizer = optimizerWith(more);
      optimizer.report_started(rows.slice(0, 4));
      return optimizer.sample(1);
    };
    expect(next({ acquisition_function: { kind: 'qUCB', beta: 4 } })).toEqual([rows[4]]);
    expect(next({})).toEqual([rows[4]]);
  });

  it('is explained', () => {
    expect(sentences({})).toEqual([
      'Exploration: one run in 5 is chosen by qUCB. A good category with many combinations may otherwise keep all runs.',
    ]);
    expect(sentences({ acquisition_function: { kind: 'qLogEI' } })).toEqual([]);
  });
});
