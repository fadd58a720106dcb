import type { LabSchedule, TrialNote } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import {
  AbstractSequentialOptimizer,
  type JsonObject,
  type ParameterField,
  type RuntimeParameters,
  type Table,
} from '@lab/sdk';
import { Domain } from '../domain/domain.js';
import { fittedArguments } from '../domain/fitted.js';
import type { Measurement, Point, Space } from '../domain/space.js';
import { InitialDesign, isBlind, LEAST_FOR_A_MODEL } from './design.js';
import { explained, type Explanation } from './explain.js';
import { fitModels, predict, type Models } from './models.js';
import { fitOf, proposeByModel, runsLikelyOnFront } from './proposal.js';
import { completeOf, Runs, type PlacedRun, type Run } from './runs.js';
import { notesOf } from './schedule-notes.js';
import {
  bayesianArgumentNames,
  changedSettings,
  runtimeParametersOf,
  settingFields,
  settingsOf,
  type BayesianArguments,
  type Settings,
} from './settings.js';
import { solutionsOf } from './solutions.js';
import { pointsOf, resultsOf, runNamesOf } from './tables.js';
import { TimedDurations, type ReportedDurations } from './timed-durations.js';

/** Most rows of a sample. */
const MOST_ROWS = 1000;

/** Milliseconds of a monotonic clock. */
export interface OptimizerClock {
  now(): number;
}

/** The whole state of an optimizer but its arguments, as plain JSON. */
export interface OptimizerState {
  format: 1;
  space: Space;
  runs: Run[];
  runtime_params: RuntimeParameters;
  /** Seconds that the tasks of completed runs took; absent: none are known. */
  durations?: ReportedDurations[];
}

/** The origin of a sample. */
export interface SampleReport {
  /** Of each row: spread over the domain by the design, or chosen by a model. */
  origins: ('initial' | 'model')[];
  /** Time limits that ended a computation early; the best result so far was used. */
  limits_used: ('fit_time_limit' | 'proposal_time_limit')[];
  /** Of each row, as the journal of the campaign keeps it; absent: the acquisition value alone has decided. */
  rows?: { source: 'optimizer'; note: TrialNote }[];
}

/**
 * Constrained Bayesian optimization for one or several objectives, over continuous, discrete and categorical inputs
 * (specification, "Optimizer plug-in contract" and "Built-in Bayesian optimizer constructor arguments").
 *
 * - Every row of every sample satisfies all constraints, and was never proposed, reported or failed before.
 * - Proposals depend on the arguments, the seed and the runs, but not on the order of the reports: a new object that
 *   gets the same runs makes the same proposals.
 * - A run in progress counts as one with an unknown result. The optimizer does not propose a failed run again, and
 *   avoids regions where runs probably fail.
 * - With `batch` `schedule_aware`, proposals also depend on the durations of completed runs and on the latest schedule.
 *   Without a schedule, or when a duration is unknown, they are those of `plain`.
 * - A call that throws changes nothing.
 */
export class BayesianSequentialOptimizer extends AbstractSequentialOptimizer {
  private readonly domain: Domain;
  private readonly space: Space;
  private readonly runs: Runs;
  private readonly design: InitialDesign;
  private readonly durations: TimedDurations;
  private schedule: LabSchedule | null = null;
  private settings: Settings;
  private models: { of: string; found: Models } | null = null;
  private lastReport: SampleReport = { origins: [], limits_used: [] };

  /**
   * @param args plain JSON
   * @param clock for the time limits; without one, no limit is reached, and only their number of steps ends searches
   * @throws ServiceError `invalid` with a fault for everything that is wrong, for example constraints that no point
   *   satisfies
   */
  constructor(
    args: BayesianArguments,
    private readonly clock: OptimizerClock = { now: () => 0 },
  ) {
    super();
    this.settings = settingsOf(args);
    this.space = { inputs: args.inputs, outputs: args.outputs, constraints: args.constraints ?? [] };
    this.domain = Domain.of(this.space);
    this.runs = new Runs((point) => this.domain.encode(point), this.get_input_names());
    const { initial_sampling_method: method, num_initial_samples: initial, seed } = this.settings;
    this.durations = new TimedDurations(this.domain, this.runs);
    this.design = new InitialDesign(this.domain, method, initial, seed);
  }

  /** @returns fields for the arguments that are plain values */
  static override svc_param_schema(): ParameterField[] {
    return settingFields.map((field) => ({ ...field }));
  }

  /** @returns every constructor argument: a campaign may also override those without a field */
  static svc_argument_names(): string[] {
    return [...bayesianArgumentNames];
  }

  /** @returns the arguments with inputs that fit the parameters of the protocol, as {@link fittedArguments} */
  static svc_fit_arguments(args: JsonObject, integers: readonly string[]): JsonObject {
    return fittedArguments(args, integers);
  }

  /**
   * Proposes points: from the design until `num_initial_samples` runs have begun or have a result, and as long as no
   * model can tell one point from another ({@link isBlind}); then the points with the highest acquisition value. In a table of
   * combinations, every fifth run explores, and the category of the best run gets at most half of all runs.
   *
   * @throws ServiceError `invalid` for a number of rows that is not 1 to 1000; `wrong_state` when the domain has fewer
   *   unused points
   */
  override sample(num_protocol_runs: number, run_names?: readonly string[]): Table<number | string> {
    const count = num_protocol_runs;
    if (!Number.isInteger(count) || count < 1 || count > MOST_ROWS) {
      throw new ServiceError('invalid', `A sample has 1 to ${MOST_ROWS} rows, not ${count}`);
    }
    const names = runNamesOf(count, run_names);
    const measured = this.runs.having('measured');
    const begun = measured.length + this.runs.having('pending').length;
    const blind = isBlind(this.space.outputs, this.complete());
    const spread = blind ? count : this.settings.num_initial_samples - begun;
    const rows = this.design.next(Math.min(count, Math.max(0, spread)), this.runs.points());
    const report: SampleReport = { origins: rows.map(() => 'initial'), limits_used: [] };
    if (rows.length < count && !blind) {
      const models = this.fitted();
      if (models.timedOut) report.limits_used.push('fit_time_limit');
      const preference =
        this.settings.batch === 'schedule_aware' && this.schedule !== null
          ? this.durations.preference(this.schedule, this.settings.batch_loss)
          : null;
      for (const row of rows) preference?.choose(row);
      const { found, choices, timedOut } = proposeByModel({
        domain: this.domain,
        outputs: this.space.outputs,
        models,
        runs: this.runs.all(),
        complete: this.complete(),
        chosen: rows,
        count: count - rows.length,
        settings: this.settings,
        now: () => this.clock.now(),
        preference,
      });
      if (timedOut) report.limits_used.push('proposal_time_limit');
      if (choices.some((choice) => choice !== null))
        report.rows = notesOf([...rows.map(() => null), ...choices], report.limits_used);
      rows.push(...found);
      report.origins.push(...found.map(() => 'model' as const));
    }
    if (rows.length < count) {
      throw new ServiceError(
        'wrong_state',
        `${count} rows were wanted, and only ${rows.length} points of the domain were not used before; ` +
          'widen the domain or end the campaign',
      );
    }
    const points = rows.map((row) => this.domain.decode(row));
    this.runs.atomically(() => points.forEach((point, i) => this.runs.begin(point, names[i]!)));
    this.lastReport = report;
    return points.map((point) => ({ ...point }));
  }

  /**
   * Records results of proposed points and of others. A run that is reported again with the same values counts once;
   * without run names, a further result of a point is a replicate. A row may lack outputs (missing, null, NaN or
   * infinite): the models of the others learn from it, and it is no solution. A later report of the named run may add
   * them.
   *
   * @throws ServiceError `invalid` with a fault for each row without any output, unknown column, output that is no
   *   number and point outside of the domain; `wrong_state` when a named run was reported with other results
   */
  override report(inputs_df: Table, outputs_df: Table<number>, run_names?: readonly string[]): void {
    const points = pointsOf(inputs_df, this.domain);
    const results = resultsOf(outputs_df, points.length, this.get_output_names(), 'some');
    this.record(points, run_names, (point, name, i) => this.runs.measure(point, results[i]!, name));
  }

  /** Records points that others have begun. @throws ServiceError as {@link report} */
  override report_started(inputs_df: Table, run_names?: readonly string[]): void {
    const points = pointsOf(inputs_df, this.domain);
    this.record(points, run_names, (point, name) => this.runs.begin(point, name));
  }

  /** Records runs that ended without a result. @throws ServiceError as {@link report} */
  override report_failed(inputs_df: Table, run_names?: readonly string[]): void {
    const points = pointsOf(inputs_df, this.domain);
    this.record(points, run_names, (point, name) => this.runs.fail(point, name));
  }

  /**
   * Records how long the tasks of completed runs took. It replaces earlier details of the same runs, and may be called before
   * or after the report of the runs.
   *
   * @param details `durations`: seconds by name of the task; null or absent: unknown
   */
  report_details(details: readonly { run: string; durations?: Record<string, number> | null }[]): void {
    this.durations.report(details);
  }

  /** Replaces the unfinished work of the laboratory, for `batch` `schedule_aware`; null: it is unknown. */
  report_schedule(schedule: LabSchedule | null): void {
    this.schedule = structuredClone(schedule);
  }

  /**
   * The best measured rows (the Pareto front for several objectives), and those that the models recommend.
   *
   * @returns rows by input and output names, with `meets_constraints` (the measurement keeps every threshold) and
   *   `recommended` (best by the expectations of the models, which a lucky measurement misleads less; of several objectives
   *   also what the models give a chance of a fifth to be on the front of the true values)
   */
  override get_optimal_solutions(): Table {
    const complete = this.complete();
    const models = complete.length < LEAST_FOR_A_MODEL ? null : this.fitted();
    const { outputs } = this.space;
    const rows = complete.map((run) => run.row);
    const byOutput = models?.outputs.map((model) => predict(model, rows)) ?? null;
    const expected =
      byOutput &&
      rows.map((_, i): Measurement =>
        Object.fromEntries(outputs.map(({ key }, k) => [key, byOutput[k]![i]!.mean])),
      );
    const hasFront = outputs.filter(({ objective }) => objective !== null).length > 1;
    const likely =
      models !== null && hasFront && !isBlind(outputs, complete)
        ? runsLikelyOnFront(outputs, models, this.settings)
        : [];
    return solutionsOf(outputs, complete, expected, likely).map((solution) => ({
      ...solution.point,
      ...solution.measured,
      meets_constraints: solution.meetsConstraints,
      recommended: solution.recommended,
    }));
  }

  override get_input_names(): string[] {
    return this.space.inputs.map(({ key }) => key);
  }

  override get_output_names(): string[] {
    return this.space.outputs.map(({ key }) => key);
  }

  override get_num_samples_reported(): number {
    return this.runs.having('measured').length;
  }

  override get_runtime_params(): RuntimeParameters {
    return runtimeParametersOf(this.settings);
  }

  /** @throws ServiceError `invalid` when a name is unknown or a value is not allowed; nothing is then changed */
  override set_runtime_params(params: RuntimeParameters): void {
    const objectives = this.space.outputs.filter(({ objective }) => objective !== null).length;
    this.settings = changedSettings(this.settings, params, objectives);
  }

  /** The sensitivities, the predictions of left-out results, and the expectations of the models. */
  explain(): Explanation {
    return explained(
      this.settings,
      this.space.outputs,
      this.domain,
      this.complete().length < LEAST_FOR_A_MODEL ? null : this.fitted(),
      this.runs.having('measured'),
      this.runs.having('pending'),
      this.runs.having('failed'),
    );
  }

  last_sample(): SampleReport {
    return structuredClone(this.lastReport);
  }

  state(): OptimizerState {
    const durations = this.durations.state();
    return structuredClone({
      format: 1,
      space: this.space,
      runs: this.runs.state(),
      runtime_params: this.get_runtime_params(),
      ...(durations.length === 0 ? {} : { durations }),
    });
  }

  /**
   * Restores a {@link state} of an optimizer with the same inputs, outputs and constraints.
   *
   * @throws ServiceError `invalid` for any other state
   */
  restore(state: OptimizerState): void {
    if (state?.format !== 1 || !Array.isArray(state.runs)) {
      throw new ServiceError('invalid', 'This is no state of a Bayesian optimizer; give what state() gave');
    }
    if (JSON.stringify(state.space) !== JSON.stringify(this.space)) {
      throw new ServiceError('invalid', 'The state belongs to other inputs, outputs or constraints');
    }
    pointsOf(
      state.runs.map((run) => run.point),
      this.domain,
    );
    const measured = state.runs.filter((run) => run.status === 'measured');
    resultsOf(
      measured.map((run) => run.measured ?? {}),
      measured.length,
      this.get_output_names(),
      'some',
    );
    this.set_runtime_params(state.runtime_params);
    this.runs.restore(structuredClone(state.runs));
    this.durations.restore(state.durations ?? []);
    this.schedule = null;
  }

  private record(
    points: readonly Point[],
    run_names: readonly string[] | undefined,
    take: (point: Point, name: string | null, i: number) => void,
  ): void {
    const names = runNamesOf(points.length, run_names);
    this.runs.atomically(() => points.forEach((point, i) => take(point, names[i]!, i)));
  }

  /** The runs with a result of every output, in canonical order. */
  private complete(): PlacedRun[] {
    return completeOf(this.runs.having('measured'), this.space.outputs);
  }

  private fitted(): Models {
    const runs = this.runs.having('measured');
    const { surrogate, kernel, outliers, fit_time_limit } = this.settings;
    const results = runs.map(({ point, measured }) => [point, measured]);
    const of = JSON.stringify([surrogate, kernel, outliers, fit_time_limit, results]);
    if (this.models?.of !== of) {
      const { columns } = this.domain;
      const found = fitModels(fitOf(surrogate), this.space.outputs, runs, columns, this.settings, () =>
        this.clock.now(),
      );
      this.models = { of, found };
    }
    return this.models.found;
  }
}
