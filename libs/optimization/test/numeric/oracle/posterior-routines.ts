/** The routines of posteriors and directions without WebAssembly, over the memory `a`. See `Kernel`. */

const dot = (a: Float64Array, p: number, q: number, length: number): number => {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[p + i]! * a[q + i]!;
  return sum;
};

export function squares(a: Float64Array, rows: number, m: number, stride: number, out: number): void {
  for (let k = 0; k < m; k++) a[out + k] = dot(a, rows + k * stride, rows + k * stride, stride);
}

export function takeProducts(a: Float64Array, rows: number, m: number, stride: number, out: number): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) a[out + i * m + j]! -= dot(a, rows + i * stride, rows + j * stride, stride);
  }
}

export function pullPoints(
  a: Float64Array,
  derivatives: number,
  priors: number,
  others: number,
  slopes: number,
  solved: number,
  m: number,
  weights: number,
  f: number,
  columns: number,
  stride: number,
  d: number,
  pulls: number,
  out: number,
): void {
  const [dCovariance, near] = [derivatives + m, priors + m * m];
  const dCross = dCovariance + m * m;
  for (let p = 0; p < m; p++) {
    const own = (k: number) =>
      k < m ? a[dCovariance + p * m + k]! + a[dCovariance + k * m + p]! : a[dCross + p * f + k - m]!;
    const prior = (k: number) => (k < m ? a[priors + p * m + k]! : a[near + p * f + k - m]!);
    for (let i = 0; i < stride; i++) {
      let pull = a[derivatives + p]! * a[weights + i]!;
      for (let k = 0; k < m + f; k++) {
        const row = k < m ? solved + k * stride : weights + (1 + k - m) * stride;
        pull -= own(k) * a[row + i]!;
      }
      a[pulls + i] = pull * a[slopes + p * stride + i]!;
    }
    for (let c = 0; c < d; c++) {
      const here = a[others + p * d + c]!;
      let sum = 0;
      for (let k = 0; k < m + f; k++) sum -= own(k) * prior(k) * (here - a[others + k * d + c]!);
      for (let i = 0; i < stride; i++) sum -= a[pulls + i]! * (here - a[columns + c * stride + i]!);
      a[out + p * d + c] = sum;
    }
  }
}

export function draw(
  a: Float64Array,
  factors: number,
  q: number,
  fixed: number,
  means: number,
  normals: number,
  count: number,
  stride: number,
  out: number,
): void {
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < q; i++) {
      a[out + s * q + i] = a[means + i]! + dot(a, factors + i * stride, normals + s * stride, fixed + i + 1);
    }
  }
}

export function pullDraw(
  a: Float64Array,
  derivatives: number,
  q: number,
  normals: number,
  count: number,
  stride: number,
  dMeans: number,
  dFactors: number,
): void {
  a.fill(0, dMeans, dMeans + q);
  a.fill(0, dFactors, dFactors + q * stride);
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < q; i++) {
      const weight = a[derivatives + s * q + i]!;
      a[dMeans + i]! += weight;
      for (let k = 0; k < stride; k++) a[dFactors + i * stride + k]! += weight * a[normals + s * stride + k]!;
    }
  }
}

export function direction(
  a: Float64Array,
  steps: number,
  changes: number,
  count: number,
  gradient: number,
  free: number,
  n: number,
  _room: number,
  out: number,
): void {
  const cut = (at: number, k: number) =>
    a.slice(at + k * n, (k + 1) * n + at).map((x, i) => x * a[free + i]!);
  const inner = (u: Float64Array, v: Float64Array) => u.reduce((sum, x, i) => sum + x * v[i]!, 0);
  const pairs = Array.from({ length: count }, (_, k) => ({ s: cut(steps, k), y: cut(changes, k), alpha: 0 }));
  const used = pairs.filter(({ s, y }) => inner(s, y) > 1e-12 * Math.sqrt(inner(y, y) * inner(s, s)));
  let found = cut(gradient, 0).map((x) => -x);
  for (const pair of used.toReversed()) {
    pair.alpha = inner(pair.s, found) / inner(pair.s, pair.y);
    found = found.map((x, i) => x - pair.alpha * pair.y[i]!);
  }
  const last = used.at(-1);
  if (last !== undefined) {
    const scale = inner(last.s, last.y) / inner(last.y, last.y);
    found = found.map((x) => x * scale);
  }
  for (const { s, y, alpha } of used) {
    const correction = alpha - inner(y, found) / inner(s, y);
    found = found.map((x, i) => x + correction * s[i]!);
  }
  a.set(found, out);
}
