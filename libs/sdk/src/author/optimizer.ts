/** A value in a table of an optimizer. */
export type Cell = number | string | boolean;

/** One row: values by `TASK.PARAMETER`. */
export type Row<Value extends Cell = Cell> = Record<string, Value>;

/** Rows in order, one object each, all with the same keys. */
export type Table<Value extends Cell = Cell> = Row<Value>[];

/** A setting of an optimizer as a page shows it. */
export interface ParameterField {
  /** Name of the setting: a key of the constructor arguments, and of the runtime parameters if `runtime`. */
  key: string;
  type: 'checkbox' | 'number' | 'text' | 'select';
  default: boolean | number | string | null;
  /** May be changed while the campaign runs. */
  runtime: boolean;
  /** What a `select` offers. */
  options?: readonly string[];
  /** Smallest and largest value of a `number`. */
  min?: number;
  max?: number;
  description?: string;
}

/** Values of the runtime parameters by their keys. */
export type RuntimeParameters = Record<string, boolean | number | string | null>;

/**
 * Proposes the parameters of coming protocol runs of a campaign from the results of past ones. Extend it in the file
 * `optimizer.ts` beside `experiment.yml`, which exports {@link CreateCampaignOptimizer} as
 * `svc_create_campaign_optimizer`.
 *
 * What it must stand: samples of several rows, reports in any order and of points it never proposed, and, in a new process,
 * the report of everything that was measured before. One call at a time is made. What a method throws fails that call with
 * its message; nothing else changes.
 *
 * A row is known by its run where run names are given, and by its values otherwise. The optional methods and the
 * argument `run_names` may be left out.
 */
export abstract class AbstractSequentialOptimizer {
  /**
   * Settings for people to see and change.
   *
   * @returns one field for each setting
   */
  static svc_param_schema(): ParameterField[] {
    return [];
  }

  /**
   * Proposes parameters. The rows count as in progress until they are reported, as measured or as failed.
   *
   * @param num_protocol_runs rows wanted, 1 or more
   * @param run_names names of the runs that the rows are for, as many
   * @returns that many rows, with one key for each input name
   * @throws when it has nothing left to propose
   */
  abstract sample(num_protocol_runs: number, run_names?: readonly string[]): Table | Promise<Table>;

  /**
   * Takes measured results.
   *
   * @param inputs_df rows with the input names; of any valid point, also one that was never proposed
   * @param outputs_df rows with the output names; the row of the same index in `inputs_df` was measured
   * @param run_names names of the runs, as many
   */
  abstract report(
    inputs_df: Table,
    outputs_df: Table<number>,
    run_names?: readonly string[],
  ): void | Promise<void>;

  /** @returns the best rows that were measured, with the input and output names as keys */
  abstract get_optimal_solutions(): Table | Promise<Table>;

  /** @returns `TASK.PARAMETER` of every input */
  abstract get_input_names(): string[];

  /** @returns `TASK.PARAMETER` of every output */
  abstract get_output_names(): string[];

  /** @returns how many rows were reported as measured */
  abstract get_num_samples_reported(): number;

  /** @returns the present values of what {@link svc_param_schema} marks with `runtime` */
  get_runtime_params(): RuntimeParameters {
    return {};
  }

  /**
   * Changes runtime parameters; those that are not named stay as they are.
   *
   * @throws when a name is unknown or a value is not allowed; nothing is changed then
   */
  set_runtime_params(params: RuntimeParameters): void {
    const [unknown] = Object.keys(params);
    if (unknown !== undefined) throw new Error(`This optimizer has no runtime parameter "${unknown}"`);
  }

  /**
   * Runs have begun with points that somebody else chose: a person, or an AI. Optional; nothing happens without it. Rows that
   * a submission gives are also told when it is submitted, to an object that is dropped afterwards: what this throws refuses
   * the submission.
   *
   * @param inputs_df rows with the input names
   * @param run_names names of the runs, as many
   */
  report_started(_inputs_df: Table, _run_names?: readonly string[]): void | Promise<void> {}

  /**
   * Runs have ended without a result that counts. Optional; without it their points stay in progress.
   *
   * @param inputs_df rows with the input names
   * @param run_names names of the runs, as many
   */
  report_failed(_inputs_df: Table, _run_names?: readonly string[]): void | Promise<void> {}
}

/** The class of an optimizer whose constructor takes one object of arguments. */
export type OptimizerClass<Arguments extends object> = new (args: Arguments) => AbstractSequentialOptimizer;

/**
 * Type of `svc_create_campaign_optimizer`: gives the constructor arguments (plain JSON) and the class.
 *
 * ```ts
 * export const svc_create_campaign_optimizer: CreateCampaignOptimizer<Arguments> = () => [args, GridSearch];
 * ```
 */
export type CreateCampaignOptimizer<Arguments extends object> = () => [
  constructor_arguments: Arguments,
  optimizer_class: OptimizerClass<Arguments>,
];
