import type { SamplingMethod } from '../domain/designs.js';
import type { Domain } from '../domain/domain.js';
import type { Output, Point } from '../domain/space.js';
import { Rng } from '../numeric/index.js';
import { isConstant, unitOf } from '../surrogates/output-map.js';
import type { PlacedRun } from './runs.js';

/** With fewer results, models know nothing about an input. */
export const LEAST_FOR_A_MODEL = 2;

/**
 * Says whether no model can tell one point from another, so that only spreading the runs further can find a
 * difference: there are fewer than two results, all results of every objective are equal, or all results of an output
 * miss its threshold and are equal.
 *
 * @param runs with a result of every output
 */
export function isBlind(outputs: readonly Output[], runs: readonly PlacedRun[]): boolean {
  if (runs.length < LEAST_FOR_A_MODEL) return true;
  const isFlat = ({ key }: Output): boolean => {
    const y = Float64Array.from(runs, ({ measured }) => measured![key]!);
    const unit = unitOf(y);
    return isConstant(y.map((value) => value / unit));
  };
  const isKept = ({ key, constraint }: Output, { measured }: PlacedRun): boolean => {
    const { at_least = -Infinity, at_most = Infinity } = constraint ?? {};
    return measured![key]! >= at_least && measured![key]! <= at_most;
  };
  const missed = outputs.filter((output) => !isKept(output, runs[0]!));
  if (missed.some(isFlat)) return true;
  const isFeasible = runs.some((run) => outputs.every((output) => isKept(output, run)));
  return isFeasible && outputs.filter(({ objective }) => objective !== null).every(isFlat);
}

/** The design: points spread over the domain by the seed. Each is used once; known points are skipped. */
export class InitialDesign {
  /** By size. */
  private readonly designs = new Map<number, readonly Point[]>();

  /** @param count points that are spread together */
  constructor(
    private readonly domain: Domain,
    private readonly method: SamplingMethod,
    private readonly count: number,
    private readonly seed: number | string,
  ) {}

  /**
   * @param count rows wanted; beyond the design, further ones are drawn
   * @param known points of all runs
   * @returns encoded rows, distinct; fewer: the domain has no more
   */
  next(count: number, known: readonly Point[]): Float64Array[] {
    if (count < 1) return [];
    const found = this.free(this.spread(this.count), count, known);
    if (found.length < count) found.push(...this.further(count - found.length, [...known, ...found]));
    return found.map((point) => this.domain.encode(point));
  }

  /** Points beyond the design: those that follow in its sequence, or, where it has none, others far from `known`. */
  private further(count: number, known: readonly Point[]): Point[] {
    const first = this.spread(this.count);
    let size = Math.max(1, this.count);
    while (size < count + known.length) size *= 2;
    const longer = this.spread(size);
    const isContinued = first.every((point, i) => i < longer.length && this.domain.same(point, longer[i]!));
    const found = isContinued ? this.free(longer, count, known) : [];
    if (found.length === count) return found;
    const rng = this.rng(`further ${known.length}`);
    const missing = count - found.length;
    return [...found, ...this.domain.sample(missing, this.method, rng, [...known, ...found]).points];
  }

  private free(points: readonly Point[], most: number, known: readonly Point[]): Point[] {
    const found: Point[] = [];
    for (const point of points) {
      if (found.length === most) break;
      if (!known.some((other) => this.domain.same(point, other))) found.push(point);
    }
    return found;
  }

  private spread(size: number): readonly Point[] {
    const known = this.designs.get(size);
    if (known !== undefined) return known;
    const { points } = this.domain.sample(size, this.method, this.rng('design'));
    this.designs.set(size, points);
    return points;
  }

  private rng(label: string): Rng {
    return Rng.seeded(this.seed).fork(label);
  }
}
