import { products } from './triangles';
import { at, decay, sum } from './vectors';

/* Perceptrons and their training. */

/** Of two numbers. */
function tanh(x: v128): v128 {
  const one = f64x2.splat(1);
  return f64x2.sub(one, f64x2.div(f64x2.splat(2), f64x2.add(decay<f64>(f64x2.mul(x, f64x2.splat(-2))), one)));
}

export function networkForward(
  parameters: usize,
  d: u32,
  hidden: u32,
  inputs: usize,
  m: u32,
  activity: usize,
  results: usize,
): void {
  const width = (hidden as usize) << 3;
  const biases = parameters + (d as usize) * width;
  const weights = biases + width;
  for (let s: u32 = 0; s < m; s++) {
    const input = inputs + (((s * d) as usize) << 3);
    const active = activity + (s as usize) * width;
    let result = f64x2.splat(0);
    for (let unit: usize = 0; unit < width; unit += 16) {
      let value = v128.load(biases + unit);
      let w = parameters + unit;
      for (let c: usize = 0; c < (d as usize) << 3; c += 8) {
        value = f64x2.add(value, f64x2.mul(v128.load64_splat(input + c), v128.load(w)));
        w += width;
      }
      value = tanh(value);
      v128.store(active + unit, value);
      result = f64x2.add(result, f64x2.mul(v128.load(weights + unit), value));
    }
    store<f64>(results + ((s as usize) << 3), load<f64>(weights + width) + sum(result));
  }
}

export function networkBackward(
  parameters: usize,
  d: u32,
  hidden: u32,
  inputs: usize,
  m: u32,
  activity: usize,
  dResults: usize,
  dParameters: usize,
): void {
  const width = (hidden as usize) << 3;
  const dBiases = dParameters + (d as usize) * width;
  const dWeights = dBiases + width;
  memory.fill(dParameters, 0, ((d + 2) as usize) * width + 8);
  for (let s: u32 = 0; s < m; s++) {
    const pull = load<f64>(dResults + ((s as usize) << 3));
    const pulls = f64x2.splat(pull);
    const active = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const to = dWeights + unit;
      v128.store(to, f64x2.add(v128.load(to), f64x2.mul(pulls, v128.load(active + unit))));
    }
    store<f64>(dWeights + width, load<f64>(dWeights + width) + pull);
  }
  networkDeltas(parameters, d, hidden, m, activity, dResults);
  for (let s: u32 = 0; s < m; s++) {
    const input = inputs + (((s * d) as usize) << 3);
    const deltas = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const delta = v128.load(deltas + unit);
      let to = dBiases + unit;
      v128.store(to, f64x2.add(v128.load(to), delta));
      to = dParameters + unit;
      for (let c: usize = 0; c < (d as usize) << 3; c += 8) {
        v128.store(to, f64x2.add(v128.load(to), f64x2.mul(v128.load64_splat(input + c), delta)));
        to += width;
      }
    }
  }
}

/** What hidden units give becomes the derivatives with respect to what they are given. */
function networkDeltas(
  parameters: usize,
  d: u32,
  hidden: u32,
  m: u32,
  activity: usize,
  dResults: usize,
): void {
  const width = (hidden as usize) << 3;
  const weights = parameters + ((d + 1) as usize) * width;
  const one = f64x2.splat(1);
  for (let s: u32 = 0; s < m; s++) {
    const pull = v128.load64_splat(dResults + ((s as usize) << 3));
    const active = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const value = v128.load(active + unit);
      const slope = f64x2.sub(one, f64x2.mul(value, value));
      v128.store(active + unit, f64x2.mul(f64x2.mul(pull, v128.load(weights + unit)), slope));
    }
  }
}

export function networkToInputs(
  parameters: usize,
  d: u32,
  hidden: u32,
  m: u32,
  activity: usize,
  dResults: usize,
  dInputs: usize,
): void {
  networkDeltas(parameters, d, hidden, m, activity, dResults);
  for (let s: u32 = 0; s < m; s++) {
    products(parameters, d, at(activity, hidden, s, 0), 1, hidden, dInputs + (((s * d) as usize) << 3));
  }
}

export function adam(
  parameters: usize,
  gradient: usize,
  first: usize,
  second: usize,
  count: u32,
  rate: f64,
  decayed: f64,
  atFirst: f64,
  atSecond: f64,
): void {
  for (let k: usize = 0; k < (count as usize) << 3; k += 16) {
    const g = v128.load(gradient + k);
    let u = f64x2.mul(v128.load(first + k), f64x2.splat(0.9));
    u = f64x2.add(u, f64x2.mul(g, f64x2.splat(0.1)));
    v128.store(first + k, u);
    let v = f64x2.mul(v128.load(second + k), f64x2.splat(0.999));
    v = f64x2.add(v, f64x2.mul(f64x2.mul(g, g), f64x2.splat(0.001)));
    v128.store(second + k, v);
    const p = v128.load(parameters + k);
    const root = f64x2.add(f64x2.sqrt(f64x2.mul(v, f64x2.splat(atSecond))), f64x2.splat(1e-8));
    const step = f64x2.div(f64x2.mul(u, f64x2.splat(atFirst)), root);
    const change = f64x2.mul(f64x2.splat(rate), f64x2.add(step, f64x2.mul(p, f64x2.splat(decayed))));
    v128.store(parameters + k, f64x2.sub(p, change));
  }
}
