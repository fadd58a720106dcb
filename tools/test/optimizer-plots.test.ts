import { describe, expect, it } from 'vitest';
import { comparedProblem } from '../bench/optimizer/comparison/all.js';
import { endsPlot, tracesPlot } from '../bench/optimizer/comparison/plots.js';
import type { Played } from '../bench/optimizer/comparison/report.js';
import type { Entry } from '../bench/optimizer/comparison/store.js';

/** The plots of a comparison in the guide. */

function played(name: string, ends: Record<string, (number | null)[]>): Played {
  const compared = comparedProblem(name, 1);
  const entry = (method: string, quality: number | null, seed: number): Entry => ({
    ...{ problem: name, method, seed, budget: '', version: '', quality, cpu_s: 1, proposals: 1 },
    trace: [100, ...Array.from({ length: compared.evals - 1 }, () => quality)],
  });
  return {
    compared,
    entries: new Map(
      Object.entries(ends).map(([method, all]) => [method, all.map((end, seed) => entry(method, end, seed))]),
    ),
  };
}

const placesOf = (svg: string): { x: number; y: number }[] =>
  [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="4"/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));

describe('the plot of ends', () => {
  it('has both medians of each problem on one axis of powers of ten', () => {
    const svg = endsPlot([played('branin', { ours: [0.01, 0.01], botorch: [1, 1] })], 'botorch');
    const [mine, theirs] = placesOf(svg);
    // The axis goes from 1e-2 to 1e1.
    expect(mine?.x).toBe(200);
    expect(theirs?.x).toBeCloseTo(200 + (2 / 3) * 540, 5);
    expect(svg).toContain('>branin<');
  });

  it('leaves out shares of a volume, and problems that somebody did not solve', () => {
    const svg = endsPlot(
      [
        played('dtlz2_2', { ours: [0.9, 0.9], botorch: [0.8, 0.8] }),
        played('gramacy', { ours: [0.1, 0.1], botorch: [null, null] }),
        played('branin', { ours: [0.1, 0.2], botorch: [0.3, 0.4] }),
      ],
      'botorch',
    );
    expect(placesOf(svg)).toHaveLength(2);
  });

  it('shows an optimum that was reached exactly at the least regret of the axis', () => {
    const svg = endsPlot([played('branin', { ours: [0, 0], botorch: [1, 1] })], 'botorch');
    expect(placesOf(svg)[0]?.x).toBe(200);
    expect(svg).toContain('>1e-6<');
  });
});

describe('the plot of traces', () => {
  it('has a curve of each method for each problem, from its first run to its last', () => {
    const svg = tracesPlot([played('branin', { ours: [0.1, 0.1], botorch: [1, 1] })], 'botorch');
    const curves = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = '']) =>
      points.split(' '),
    );
    expect(curves.map(({ length }) => length)).toEqual([25, 25]);
    const heightAt = (curve: string[] | undefined, run: number): number =>
      Number(curve?.at(run)?.split(',')[1]);
    expect(heightAt(curves[0], 0)).toBe(heightAt(curves[1], 0));
    // Smaller regrets are lower on the page, where the coordinate is larger.
    expect(heightAt(curves[0], -1)).toBeGreaterThan(heightAt(curves[1], -1));
  });
});
