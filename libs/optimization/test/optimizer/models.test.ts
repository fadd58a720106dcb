import { describe, expect, it } from 'vitest';
import { BayesianSequentialOptimizer, type Output } from '../../src/index.js';
import { inUnits } from '../../src/optimizer/models.js';

describe('a normal variable in the unit of an output', () => {
  it('keeps mean and deviation under a linear map', () => {
    const map = { toModel: (y: number) => (y - 7) / 3, fromModel: (z: number) => 7 + 3 * z, slope: () => 3 };
    const { mean, deviation } = inUnits(map, 0.4, 0.2);
    expect(mean).toBeCloseTo(8.2, 12);
    expect(deviation).toBeCloseTo(0.6, 7);
  });

  it('has the moments of the log-normal distribution under the exponential', () => {
    const map = { toModel: Math.log, fromModel: Math.exp, slope: Math.exp };
    const { mean, deviation } = inUnits(map, 0.3, 0.5);
    expect(mean).toBeCloseTo(Math.exp(0.3 + 0.125), 5);
    expect(deviation).toBeCloseTo(Math.exp(0.425) * Math.sqrt(Math.exp(0.25) - 1), 4);
  });

  it('is exact without uncertainty', () => {
    const map = { toModel: Math.log, fromModel: Math.exp, slope: Math.exp };
    expect(inUnits(map, 1, 0)).toEqual({ mean: Math.E, deviation: 0 });
  });
});

describe('the scale of an output that is nearly 0 on a face of the domain', () => {
  const minimize = { kind: 'minimize' as const, weight: 1 };
  const first: Output = { key: 't.first', objective: minimize };
  const second: Output = { key: 't.second', objective: minimize };

  /** Results like those of DTLZ2 at an end of its front. */
  const scaleOfFirst = (outputs: Output[]) => {
    const keys = ['t.x', 't.y'];
    const inputs = keys.map((key) => ({
      kind: 'continuous' as const,
      key,
      bounds: [0, 1] as [number, number],
    }));
    const optimizer = new BayesianSequentialOptimizer({ inputs, outputs, seed: 1 });
    const rows = Array.from({ length: 20 }, (_, i) => ({
      't.x': i < 10 ? (0.37 * i) % 1 : 1,
      't.y': (0.618 * i) % 1,
    }));
    const results = rows.map(({ 't.x': x, 't.y': y }) => {
      const far = 1 + (y - 0.5) ** 2;
      const found = {
        't.first': far * Math.cos((x * Math.PI) / 2),
        't.second': far * Math.sin((x * Math.PI) / 2),
      };
      return Object.fromEntries(Object.entries(found).slice(0, outputs.length));
    });
    optimizer.report(rows, results);
    return optimizer.explain().outputs[0]!.choices.find((text) => text.startsWith('Values'));
  };

  it('is curved for one objective, which the sharp predictions there help', () => {
    expect(scaleOfFirst([first])).toMatch(/^Values: on a curved scale/);
  });

  it('is the measured one beside another objective', () => {
    expect(scaleOfFirst([first, second])).toMatch(/^Values: as measured/);
  });
});
