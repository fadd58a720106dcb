import { describe, expect, it } from 'vitest';
import { randomRows, seededRandom } from '../../src/demo/random-rows.js';

const args = {
  inputs: [
    { key: 'mix.x', bounds: [0, 10] },
    { key: 'mix.y', bounds: [5, 6] },
  ],
  constraints: [{ kind: 'linear_inequality', features: ['mix.x', 'mix.y'], coefficients: [1, 1], rhs: 9 }],
};

describe('random rows', () => {
  it('lie in the search space of the optimizer and are the same for the same seed', () => {
    const rows = randomRows({ arguments: args }, 200, seededRandom(1)) as { mix: { x: number; y: number } }[];
    expect(rows.every(({ mix: { x, y } }) => x >= 0 && y >= 5 && y <= 6 && x + y <= 9)).toBe(true);
    expect(Math.max(...rows.map(({ mix }) => mix.x))).toBeGreaterThan(3);
    expect(randomRows({ arguments: args }, 200, seededRandom(1))).toEqual(rows);
    expect(randomRows({ arguments: args }, 200, seededRandom(2))).not.toEqual(rows);
  });

  it('end with an error after a limited number of attempts', () => {
    const impossible = { ...args, constraints: [{ ...args.constraints[0], rhs: 1 }] };
    expect(() => randomRows({ arguments: impossible }, 1, seededRandom(1))).toThrow('No point');
  });
});
