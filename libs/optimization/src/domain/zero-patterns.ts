import type { Rng } from '../numeric/index.js';
import type { Encoding } from './encoding.js';
import { allows, countsOf, type Count, type NChooseK } from './linear-constraints.js';
import type { Constraint } from './space.js';

/** Patterns are listed up to this number, and drawn beyond. */
const listedPatterns = 512;

/** Subsets are tried one by one for the list up to this number of features. */
const triedFeatures = 16;

/** The zeros that n-choose-k constraints allow: every choice of features that satisfies the counts is a pattern. */
export class ZeroPatterns {
  /** Columns of the features of all n-choose-k constraints, rising. */
  readonly columns: readonly number[];
  private readonly counts: readonly Count[];
  /** Features that may be zero. */
  private readonly optional: readonly number[];
  /** Null: too many. */
  private readonly list: readonly ReadonlySet<number>[] | null;

  constructor(constraints: readonly Constraint[], encoding: Encoding) {
    this.counts = countsOf(constraints, encoding);
    this.columns = [...new Set(this.counts.flatMap(({ columns }) => columns))].sort((a, b) => a - b);
    this.optional = this.columns.filter((j) => encoding.columns[j]!.zero !== null);
    const isZero = (j: number) => encoding.columns[j]!.count === 1 && encoding.columns[j]!.zero === 0;
    this.list = this.listed(this.columns.filter(isZero));
  }

  /** A pattern, equally likely if they are listed or no two constraints share a feature; null: none found. */
  draw(rng: Rng): ReadonlySet<number> | null {
    if (this.list !== null) return this.list.length === 0 ? null : this.list[rng.below(this.list.length)]!;
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const zero = new Set<number>();
      for (const { constraint, columns } of this.counts) {
        const optional = columns.filter((j) => this.optional.includes(j));
        const forced = columns.length - optional.length;
        const used = drawnCount(constraint, forced, optional.length, rng) - forced;
        for (const j of rng.shuffle(optional).slice(Math.max(0, used))) zero.add(j);
      }
      if (this.fits(zero)) return zero;
    }
    return null;
  }

  private listed(alwaysZero: readonly number[]): ReadonlySet<number>[] | null {
    if (this.optional.length > triedFeatures) return null;
    const list: ReadonlySet<number>[] = [];
    for (let mask = 0; mask < 2 ** this.optional.length; mask += 1) {
      const zero = new Set(this.optional.filter((_, bit) => (mask >> bit) & 1));
      if (alwaysZero.every((j) => zero.has(j)) && this.fits(zero)) list.push(zero);
      if (list.length > listedPatterns) return null;
    }
    return list;
  }

  private fits(zero: ReadonlySet<number>): boolean {
    return this.counts.every(({ constraint, columns }) =>
      allows(constraint, columns.filter((j) => !zero.has(j)).length),
    );
  }
}

/** Number of used features, with a probability proportional to the number of subsets of that size. */
function drawnCount(constraint: NChooseK, forced: number, optional: number, rng: Rng): number {
  const counts: number[] = [];
  const weights: number[] = [];
  for (let count = forced; count <= forced + optional; count += 1) {
    if (!allows(constraint, count)) continue;
    counts.push(count);
    weights.push(binomial(optional, count - forced));
  }
  let rest = rng.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [i, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return counts[i]!;
  }
  return counts.at(-1) ?? forced;
}

function binomial(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i += 1) product *= (n - k + i) / i;
  return product;
}
