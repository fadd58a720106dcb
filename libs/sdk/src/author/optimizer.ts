/** One value in a table of an optimizer. */
export type Cell = number | string | boolean;

/** One row of a table: values by `TASK.PARAMETER`. */
export type Row<Value extends Cell = Cell> = Record<string, Value>;

/** A table: an array of row objects, all with the same keys. */
export type Table<Value extends Cell = Cell> = Row<Value>[];

/** One setting of an optimizer, as a user interface shows it. */
export interface ParameterField {
  /** Name of the setting. It is a key of the constructor arguments, and of the runtime parameters if `runtime` is true. */
  key: string;
  type: 'checkbox' | 'number' | 'text' | 'select';
  default: boolean | number | string | null;
  /** Whether it may be changed while the campaign runs. */
  runtime: boolean;
  /** The choices of a `select`. */
  options?: readonly string[];
  /** Smallest and largest value of a `number`. */
  min?: number;
  max?: number;
  description?: string;
}

/** Values of the runtime parameters by their keys. */
export type RuntimeParameters = Record<string, boolean | number | string | null>;

/**
 * Proposes the parameters of the next protocol runs of a campaign from the results of past runs. Extend it in the file
 * `optimizer.ts` beside `experiment.yml`. That file exports a {@link CreateCampaignOptimizer} as
 * `svc_create_campaign_optimizer`.
 *
 * An optimizer must accept requests for several rows at once, results in any order, and results of points that it never
 * proposed. In a new process it first gets all results measured so far. The service makes one call at a time. An error that a
 * method throws fails that call with its message and changes nothing else.
 *
 * If run names are given, a row is identified by its run, otherwise by its values. You may leave out the optional methods and
 * the argument `run_names`.
 */
export abstract class AbstractSequentialOptimizer {
  /**
   * Describes the settings that people can see and change.
   *
   * @returns one field per setting
   */
  static svc_param_schema(): ParameterField[] {
    return [];
  }

  /**
   * Proposes parameters. The rows count as in progress until they are reported as measured or failed.
   *
   * @param num_protocol_runs number of rows, at least 1
   * @param run_names names of the runs, one per row
   * @returns `num_protocol_runs` rows, each with one key per input name
   * @throws when the optimizer has no further proposal
   */
  abstract sample(num_protocol_runs: number, run_names?: readonly string[]): Table | Promise<Table>;

  /**
   * Takes measured results.
   *
   * @param inputs_df rows with the input names, of any valid points, including points that were never proposed
   * @param outputs_df rows with the output names; row i has the result of row i of `inputs_df`
   * @param run_names names of the runs, one per row
   */
  abstract report(
    inputs_df: Table,
    outputs_df: Table<number>,
    run_names?: readonly string[],
  ): void | Promise<void>;

  /** @returns the best measured rows, with the input and output names as keys */
  abstract get_optimal_solutions(): Table | Promise<Table>;

  /** @returns `TASK.PARAMETER` of every input */
  abstract get_input_names(): string[];

  /** @returns `TASK.PARAMETER` of every output */
  abstract get_output_names(): string[];

  /** @returns the number of rows reported as measured */
  abstract get_num_samples_reported(): number;

  /** @returns the present values of the settings that {@link svc_param_schema} marks with `runtime` */
  get_runtime_params(): RuntimeParameters {
    return {};
  }

  /**
   * Changes runtime parameters. Parameters that are not named keep their values.
   *
   * @throws when a name is unknown or a value is not allowed; then nothing may be changed
   */
  set_runtime_params(params: RuntimeParameters): void {
    const [unknown] = Object.keys(params);
    if (unknown !== undefined) throw new Error(`This optimizer has no runtime parameter "${unknown}"`);
  }

  /**
   * Optional. Takes the points of runs that have begun and were chosen by a person or an AI. If a submission contains rows, the
   * service first passes them to a temporary object of this class; if this method throws there, the submission is refused.
   *
   * @param inputs_df rows with the input names
   * @param run_names names of the runs, one per row
   */
  report_started(_inputs_df: Table, _run_names?: readonly string[]): void | Promise<void> {}

  /**
   * Optional. Takes the points of runs that ended without a valid result. Without this method such points stay in progress.
   *
   * @param inputs_df rows with the input names
   * @param run_names names of the runs, one per row
   */
  report_failed(_inputs_df: Table, _run_names?: readonly string[]): void | Promise<void> {}
}

/** A class of optimizers whose constructor takes one object of arguments. */
export type OptimizerClass<Arguments extends object> = new (args: Arguments) => AbstractSequentialOptimizer;

/**
 * The type of `svc_create_campaign_optimizer`, a function that returns the constructor arguments (plain JSON) and the class.
 *
 * ```ts
 * export const svc_create_campaign_optimizer: CreateCampaignOptimizer<Arguments> = () => [args, GridSearch];
 * ```
 */
export type CreateCampaignOptimizer<Arguments extends object> = () => [
  constructor_arguments: Arguments,
  optimizer_class: OptimizerClass<Arguments>,
];
