import { arena, type Rng } from '../numeric/index.js';

/** The results of a network for `m` rows. */
export interface Activation {
  /** `m x hidden` */
  readonly hidden: Float64Array;
  /** Length `m`. */
  readonly results: Float64Array;
}

/** Perceptron with one hidden layer of tanh units and one linear result, and its derivatives by back propagation. */
export class Network {
  /** Weights of the hidden units, input by input; their biases; the weights of the result and its bias. */
  readonly parameters: Float64Array;

  /**
   * @param d number of inputs, which lie in [-1, 1]
   * @param hidden number of hidden units, even
   * @param rng draws the first parameters
   */
  constructor(
    readonly d: number,
    readonly hidden: number,
    rng: Rng,
  ) {
    this.parameters = new Float64Array((d + 2) * hidden + 1);
    for (let unit = 0; unit < hidden; unit++) {
      for (let c = 0; c < d; c++) this.parameters[c * hidden + unit] = rng.normal() / Math.sqrt(d);
      this.parameters[(d + 1) * hidden + unit] = rng.normal() / Math.sqrt(hidden);
    }
  }

  /** @param inputs `m x d` */
  forward(inputs: Float64Array, m: number): Activation {
    const { d, hidden, parameters } = this;
    const w = arena.room(parameters.length + 1 + m * (d + hidden + 1));
    const activity = w + parameters.length + 1;
    const rows = activity + m * hidden;
    const results = rows + m * d;
    const { kernel, numbers } = arena;
    numbers.set(parameters, w);
    numbers.set(inputs, rows);
    kernel.networkForward(w, d, hidden, rows, m, activity, results);
    return { hidden: numbers.slice(activity, rows), results: numbers.slice(results, results + m) };
  }

  /** Derivatives with respect to the inputs, `m x d`, from those with respect to the results. */
  backwardToInputs(activation: Activation, dResults: Float64Array): Float64Array {
    const { d, hidden, parameters } = this;
    const m = dResults.length;
    const w = arena.room(parameters.length + 1 + m * (d + hidden + 1));
    const activity = w + parameters.length + 1;
    const dInputs = activity + m * hidden;
    const pulls = dInputs + m * d;
    const { kernel, numbers } = arena;
    numbers.set(parameters, w);
    numbers.set(activation.hidden, activity);
    numbers.set(dResults, pulls);
    kernel.networkToInputs(w, d, hidden, m, activity, pulls, dInputs);
    return numbers.slice(dInputs, pulls);
  }
}

/** Trains a network by AdamW on the squared error (Loshchilov and Hutter 2019). */
export class Training {
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private step = 0;

  /** @param decay part of a parameter that a step removes, in units of the learning rate */
  constructor(
    private readonly network: Network,
    private readonly decay: number,
  ) {
    // Steps are taken on an even number of parameters.
    const even = network.parameters.length + (network.parameters.length % 2);
    this.first = new Float64Array(even);
    this.second = new Float64Array(even);
  }

  /**
   * A step for each batch in turn.
   *
   * @param inputs `m x d`
   * @param targets length `m`
   * @param batch rows of a batch
   */
  epoch(inputs: Float64Array, targets: Float64Array, batch: number, rate: number): void {
    const { network, first, second, decay } = this;
    const { d, hidden, parameters } = network;
    const count = first.length;
    const w = arena.room(4 * count + batch * hidden + 2 * batch + inputs.length);
    const [moments, squares, gradient] = [w + count, w + 2 * count, w + 3 * count];
    const activity = w + 4 * count;
    const results = activity + batch * hidden;
    const rows = results + 2 * batch;
    const { kernel, numbers } = arena;
    numbers.fill(0, w, activity);
    numbers.set(parameters, w);
    numbers.set(first, moments);
    numbers.set(second, squares);
    numbers.set(inputs, rows);
    for (let start = 0; start < targets.length; start += batch) {
      const m = Math.min(batch, targets.length - start);
      const at = rows + start * d;
      kernel.networkForward(w, d, hidden, at, m, activity, results);
      for (let s = 0; s < m; s++) {
        numbers[results + s] = (2 * (numbers[results + s]! - targets[start + s]!)) / m;
      }
      kernel.networkBackward(w, d, hidden, at, m, activity, results, gradient);
      this.step++;
      const atFirst = 1 / (1 - 0.9 ** this.step);
      const atSecond = 1 / (1 - 0.999 ** this.step);
      kernel.adam(w, gradient, moments, squares, count, rate, decay, atFirst, atSecond);
    }
    parameters.set(numbers.subarray(w, w + parameters.length));
    first.set(numbers.subarray(moments, squares));
    second.set(numbers.subarray(squares, gradient));
  }
}
