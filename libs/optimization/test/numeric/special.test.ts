import { describe, expect, it } from 'vitest';
import {
  erf,
  erfc,
  erfcx,
  logH,
  logHSlope,
  logNormalCdf,
  logNormalCdfSlope,
  logSumExp,
  ndtri,
  normalCdf,
  normalDensity,
} from '../../src/numeric/special.js';

/** Equal to the given number of digits, whatever the size. */
const near = (actual: number, expected: number, relative = 1e-14) =>
  expect(Math.abs(actual - expected), `${actual} for ${expected}`).toBeLessThanOrEqual(
    relative * Math.abs(expected),
  );

const central = (f: (x: number) => number, x: number, h: number) => (f(x + h) - f(x - h)) / (2 * h);

describe('error functions', () => {
  it.each([
    [0.1, 0.1124629160182849],
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [2, 0.9953222650189527],
    [-1, -0.8427007929497149],
  ])('erf(%d), Abramowitz and Stegun table 7.1', (x, expected) => near(erf(x), expected));

  it.each([
    [0.1, 0.887537083981715],
    [2, 0.004677734981047266],
    [5, 1.537459794428035e-12],
    [10, 2.088487583762545e-45],
    [-2, 1.9953222650189528],
  ])('erfc(%d)', (x, expected) => near(erfc(x), expected));

  it.each([
    [0, 1],
    [1, 0.427583576155807],
    [10, 0.05614099274382259],
    [100, 0.005641613782989433],
    [-1, 5.008980080762283],
  ])('erfcx(%d)', (x, expected) => near(erfcx(x), expected));

  it('are continuous where their approximations meet', () => {
    for (const border of [0.46875, 4, -0.46875, -4]) {
      for (const f of [erf, erfc, erfcx]) near(f(border * (1 - 1e-15)), f(border * (1 + 1e-15)), 1e-13);
    }
  });
});

describe('normal distribution', () => {
  it('inverts its cumulative distribution function', () => {
    near(ndtri(0.975), 1.959963984540054);
    near(ndtri(0.25), -0.6744897501960817);
    near(ndtri(0.001), -3.090232306167813);
    near(ndtri(1e-20), -9.262340089798409);
    for (const p of [1e-300, 1e-30, 1e-9, 0.01, 0.074, 0.076, 0.3]) near(normalCdf(ndtri(p)), p, 1e-12);
    for (const p of [0.5, 0.7, 0.93, 0.99]) near(normalCdf(ndtri(p)), p);
    expect(ndtri(0.5)).toBe(0);
    expect(ndtri(0)).toBe(-Infinity);
    expect(ndtri(1)).toBe(Infinity);
    expect(ndtri(-0.1)).toBeNaN();
    expect(ndtri(NaN)).toBeNaN();
  });

  it('has a logarithm far out in the tail, and its slope', () => {
    near(logNormalCdf(-10), -53.23128515051247);
    near(logNormalCdf(-40), -804.6084420137538);
    near(logNormalCdf(0), -Math.LN2);
    near(logNormalCdf(9), -1.1285884059538405e-19, 1e-13);
    for (const z of [-30, -1.2, -0.8, 0.3, 3]) {
      near(logNormalCdfSlope(z), central(logNormalCdf, z, 1e-5), 1e-8);
    }
    expect(logNormalCdf(-1e150)).toBeGreaterThan(-Infinity);
    near(logNormalCdfSlope(-1e6), 1e6, 1e-11);
  });
});

describe('log h', () => {
  it('has the known values', () => {
    near(logH(0), Math.log(normalDensity(0)));
    near(logH(-0.5), Math.log(0.1977965574), 1e-9);
    near(logH(-10), -55.553122036122, 1e-12);
    near(logH(40), Math.log(40));
  });

  it('is finite and smooth at every branch', () => {
    for (const border of [-1, -20]) {
      near(logH(border * (1 - 1e-14)), logH(border * (1 + 1e-14)), 1e-12);
      near(logHSlope(border * (1 - 1e-14)), logHSlope(border * (1 + 1e-14)), 1e-12);
    }
    near(logH(-1e6), -5e11 - 0.9189385332046727 - 2 * Math.log(1e6));
    expect(logH(-1e150)).toBeGreaterThan(-Infinity);
    for (let z = -60; z < 8; z += 0.37) near(logHSlope(z), central(logH, z, 1e-5), 1e-7);
    near(logHSlope(-1e8), 1e8);
  });
});

describe('logarithms of sums', () => {
  it('keep digits at both ends', () => {
    near(logSumExp(Float64Array.of(-1000, -1000)), -1000 + Math.LN2);
    near(logSumExp(Float64Array.of(1000, -1000)), 1000);
    expect(logSumExp(Float64Array.of(-Infinity, -Infinity))).toBe(-Infinity);
    expect(logSumExp(new Float64Array(0))).toBe(-Infinity);
  });
});
