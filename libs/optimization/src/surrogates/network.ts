import type { Rng } from '../numeric/index.js';

/** What a network made of a batch of `m` rows. */
export interface Activation {
  /** `m x d` */
  readonly inputs: Float64Array;
  /** `m x hidden` */
  readonly hidden: Float64Array;
  /** Length `m`. */
  readonly results: Float64Array;
}

/** Perceptron with one hidden layer of tanh units and one linear result, and its derivatives by back propagation. */
export class Network {
  /** Of each hidden unit its weights and its bias; then the weights of the result and its bias. */
  readonly parameters: Float64Array;
  private readonly ofResult: number;

  /**
   * @param d number of inputs, which lie in [-1, 1]
   * @param hidden number of hidden units
   * @param rng where the parameters begin
   */
  constructor(
    private readonly d: number,
    private readonly hidden: number,
    rng: Rng,
  ) {
    this.ofResult = hidden * (d + 1);
    this.parameters = new Float64Array(this.ofResult + hidden + 1);
    for (let unit = 0; unit < hidden; unit++) {
      for (let c = 0; c < d; c++) this.parameters[unit * (d + 1) + c] = rng.normal() / Math.sqrt(d);
      this.parameters[this.ofResult + unit] = rng.normal() / Math.sqrt(hidden);
    }
  }

  /** @param inputs `m x d` */
  forward(inputs: Float64Array, m: number): Activation {
    const { d, hidden, ofResult, parameters: w } = this;
    const activity = new Float64Array(m * hidden);
    const results = new Float64Array(m);
    for (let s = 0; s < m; s++) {
      let result = w[ofResult + hidden]!;
      for (let unit = 0, row = 0; unit < hidden; unit++, row += d + 1) {
        let sum = w[row + d]!;
        for (let c = 0, x = s * d; c < d; c++, x++) sum += w[row + c]! * inputs[x]!;
        // Several times as fast as Math.tanh, and as exact in absolute terms.
        const value = 1 - 2 / (Math.exp(2 * sum) + 1);
        activity[s * hidden + unit] = value;
        result += w[ofResult + unit]! * value;
      }
      results[s] = result;
    }
    return { inputs, hidden: activity, results };
  }

  /**
   * Adds up derivatives with respect to the parameters.
   *
   * @param dResults derivatives with respect to the results
   * @param dParameters is added to
   */
  backwardToParameters(activation: Activation, dResults: Float64Array, dParameters: Float64Array): void {
    const { d, hidden, ofResult, parameters: w } = this;
    for (let s = 0; s < dResults.length; s++) {
      const pull = dResults[s]!;
      for (let unit = 0, row = 0; unit < hidden; unit++, row += d + 1) {
        const value = activation.hidden[s * hidden + unit]!;
        dParameters[ofResult + unit]! += pull * value;
        const delta = pull * w[ofResult + unit]! * (1 - value * value);
        for (let c = 0, x = s * d; c < d; c++, x++) dParameters[row + c]! += delta * activation.inputs[x]!;
        dParameters[row + d]! += delta;
      }
      dParameters[ofResult + hidden]! += pull;
    }
  }

  /** Derivatives with respect to the inputs, `m x d`, from those with respect to the results. */
  backwardToInputs(activation: Activation, dResults: Float64Array): Float64Array {
    const { d, hidden, ofResult, parameters: w } = this;
    const dInputs = new Float64Array(activation.inputs.length);
    for (let s = 0; s < dResults.length; s++) {
      for (let unit = 0, row = 0; unit < hidden; unit++, row += d + 1) {
        const value = activation.hidden[s * hidden + unit]!;
        const delta = dResults[s]! * w[ofResult + unit]! * (1 - value * value);
        for (let c = 0, x = s * d; c < d; c++, x++) dInputs[x]! += delta * w[row + c]!;
      }
    }
    return dInputs;
  }
}

/** I. Loshchilov, F. Hutter: Decoupled weight decay regularization (AdamW), 2019. */
export class AdamW {
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private step = 0;

  /** @param decay part of a parameter that a step takes away, in units of the learning rate */
  constructor(
    private readonly parameters: Float64Array,
    private readonly decay: number,
  ) {
    this.first = new Float64Array(parameters.length);
    this.second = new Float64Array(parameters.length);
  }

  update(gradient: Float64Array, rate: number): void {
    const { parameters, first, second } = this;
    this.step++;
    const atFirst = 1 / (1 - 0.9 ** this.step);
    const atSecond = 1 / (1 - 0.999 ** this.step);
    for (let k = 0; k < parameters.length; k++) {
      const g = gradient[k]!;
      const u = (first[k] = 0.9 * first[k]! + 0.1 * g);
      const v = (second[k] = 0.999 * second[k]! + 0.001 * g * g);
      const p = parameters[k]!;
      parameters[k] = p - rate * ((u * atFirst) / (Math.sqrt(v * atSecond) + 1e-8) + this.decay * p);
    }
  }
}
