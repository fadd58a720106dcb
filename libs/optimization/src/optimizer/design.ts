import type { SamplingMethod } from '../domain/designs.js';
import type { Domain } from '../domain/domain.js';
import type { Point } from '../domain/space.js';
import { Rng } from '../numeric/index.js';

/** The initial design: points spread over the domain by the seed. Each is used once; known points are skipped. */
export class InitialDesign {
  private first: readonly Point[] | null = null;

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
    this.first ??= this.domain.sample(this.count, this.method, this.rng('design')).points;
    const free = this.first.filter((point) => !known.some((other) => this.domain.same(point, other)));
    const points = free.slice(0, count);
    if (points.length < count) {
      const rng = this.rng(`further ${known.length}`);
      const avoided = [...known, ...points];
      points.push(...this.domain.sample(count - points.length, this.method, rng, avoided).points);
    }
    return points.map((point) => this.domain.encode(point));
  }

  private rng(label: string): Rng {
    return Rng.seeded(this.seed).fork(label);
  }
}
