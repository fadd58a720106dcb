import type { Kernel, Shape } from '../../../src/numeric/kernel.js';

/* The routines of the kernel for covariances, in TypeScript. `a` is the memory. */

const SQRT5 = Math.sqrt(5);

/** Covariance and slope at a squared distance, to two addresses. */
function covarianceOf(
  shape: Shape,
  a: Float64Array,
  squared: number,
  scale: number,
  covariance: number,
  slope: number,
): void {
  if (shape === 'squared_exponential') {
    a[covariance] = a[slope] = scale * Math.exp(-squared / 2);
    return;
  }
  const r = SQRT5 * Math.sqrt(squared);
  const decay = scale * Math.exp(-r);
  a[covariance] = decay * (1 + r + (r * r) / 3);
  a[slope] = decay * (5 / 3) * (1 + r);
}

export function covarianceBetween(
  a: Float64Array,
  ...[shape, points, rows, columns, stride, n, d, scale, covariance, slope]: Parameters<
    Kernel['covarianceBetween']
  >
): void {
  for (let i = 0; i < rows; i++) {
    const row = i * stride;
    for (let j = 0; j < n; j++) {
      let squared = 0;
      for (let c = 0; c < d; c++) squared += (a[columns + c * stride + j]! - a[points + i * d + c]!) ** 2;
      covarianceOf(shape, a, squared, scale, covariance + row + j, slope + row + j);
    }
    a.fill(0, covariance + row + n, covariance + row + stride);
    a.fill(0, slope + row + n, slope + row + stride);
  }
}

export function covarianceWithin(
  a: Float64Array,
  ...[shape, columns, stride, n, d, scale, noise, covariance, slope]: Parameters<Kernel['covarianceWithin']>
): void {
  for (let i = 0; i < stride; i++) {
    const row = i * stride;
    for (let j = 0; j < i; j++) {
      let squared = 0;
      for (let c = 0, x = columns; c < d; c++, x += stride) squared += (a[x + j]! - a[x + i]!) ** 2;
      if (i < n) covarianceOf(shape, a, squared, scale, covariance + row + j, slope + row + j);
      else a[covariance + row + j] = a[slope + row + j] = 0;
    }
    a[covariance + row + i] = i < n ? scale + noise : 1;
    a[slope + row + i] = 0;
  }
}

export function covariancePull(
  a: Float64Array,
  ...[inverse, alpha, slope, columns, stride, n, d, out]: Parameters<Kernel['covariancePull']>
): void {
  a.fill(0, out, out + d);
  for (let i = 1; i < n; i++) {
    const row = i * stride;
    for (let j = 0; j < i; j++) {
      a[slope + row + j]! *= a[inverse + row + j]! - a[alpha + i]! * a[alpha + j]!;
    }
    for (let c = 0, x = columns; c < d; c++, x += stride) {
      let sum = 0;
      for (let j = 0; j < i; j++) sum += a[slope + row + j]! * (a[x + j]! - a[x + i]!) ** 2;
      a[out + c]! += sum;
    }
  }
}
