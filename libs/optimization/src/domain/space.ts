/** The declaration of an optimization: inputs, outputs and constraints, as an author writes it. */

export type InputValue = number | string;

/** One point: values by `TASK.PARAMETER`. */
export type Point = Record<string, InputValue>;

/** Measured results of one point by `TASK.PARAMETER`. */
export type Measurement = Record<string, number>;

export interface ContinuousInput {
  kind: 'continuous';
  /** `TASK.PARAMETER`. */
  key: string;
  /** Lower and upper bound, both included, in the unit of the parameter. */
  bounds: readonly [number, number];
  /** Values are whole multiples of it above the lower bound, in the same unit; absent: any value. */
  step?: number;
}

export interface DiscreteInput {
  kind: 'discrete';
  /** `TASK.PARAMETER`. */
  key: string;
  /** Distinct numbers, in the unit of the parameter. */
  values: readonly number[];
}

export interface CategoricalInput {
  kind: 'categorical';
  /** `TASK.PARAMETER`. */
  key: string;
  /** Distinct names without an order. */
  categories: readonly string[];
  /**
   * By category its measurable properties, for example of a solvent its polarity and boiling point: as many numbers for
   * each, in any units. Categories with similar numbers may then have similar results.
   */
  descriptors?: Readonly<Record<string, readonly number[]>>;
}

export type Input = ContinuousInput | DiscreteInput | CategoricalInput;

/** `weight`, above 0, is the importance beside other objectives. */
export type Objective =
  | { kind: 'minimize'; weight: number }
  | { kind: 'maximize'; weight: number }
  /** As near to `target` as possible, on either side; in the unit of the output. */
  | { kind: 'close_to_target'; target: number; weight: number };

/** A measured number. With an objective, a threshold, or both. */
export interface Output {
  /** `TASK.PARAMETER`. */
  key: string;
  objective: Objective | null;
  /** Only results of at least, or at most, this value in the unit of the output are useful; absent: any result is. */
  constraint?: { at_least?: number; at_most?: number };
}

/** Over continuous and discrete inputs, in their own units. */
export type Constraint =
  /** `sum coefficients[i] * features[i]` is equal to `rhs`, or at most `rhs`. */
  | {
      kind: 'linear_equality' | 'linear_inequality';
      features: readonly string[];
      coefficients: readonly number[];
      rhs: number;
    }
  /** Between `min_count` and `max_count` of the features are not zero; or all are zero with `none_also_valid`. */
  | {
      kind: 'n_choose_k';
      features: readonly string[];
      min_count: number;
      max_count: number;
      none_also_valid: boolean;
    };

/** A whole declaration. `Domain.of` and the constructors of optimizers report its faults. */
export interface Space {
  inputs: readonly Input[];
  outputs: readonly Output[];
  constraints: readonly Constraint[];
}
