import type { LabSchedule, TrialNote, TrialSource } from '@lab/contracts';
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
import type { Constraint, Input, Output, Point } from '../domain/space.js';
import { Rng } from '../numeric/index.js';
import { BayesianSequentialOptimizer } from '../optimizer/bayesian.js';
import { Runs } from '../optimizer/runs.js';
import { bayesianArgumentNames } from '../optimizer/settings.js';
import { pointsOf, resultsOf, runNamesOf } from '../optimizer/tables.js';
import type { OptimizerHost } from './language-model.js';
import {
  allFields,
  beliefsOf,
  changePluggedIn,
  customFieldsOf,
  pluggedIn,
  proposedPoints,
  type PluggedIn,
} from './plugged-in.js';
import type { HybridSampleReport, HybridState, OfferedInsight, RunDetails } from './records.js';
import { RunLog } from './run-log.js';
import {
  changedHybridSettings,
  hybridFields,
  hybridKeys,
  hybridRuntimeParametersOf,
  hybridSettingsOf,
  type HybridArguments,
  type HybridSettings,
} from './settings.js';
import { Suggester, type Suggestion } from './suggester.js';

/**
 * For each sampling call, chooses between a plugged-in optimizer (probability `p_bayesian`) and an AI (`p_ai`)
 * (specification, "Optimizer settings of the hybrid optimizer", "Optimizer plug-in contract" and rules 7 to 10).
 *
 * - Every row is feasible and new, whatever the AI answers: its suggestions are checked against the domain, and the
 *   plugged-in optimizer takes over when no valid one arrives in time.
 * - The plugged-in optimizer gets every run, including those that the AI chose.
 * - The choice depends on the seed and the name of the first run of the call, so that a replay decides in the same
 *   way.
 * - Offered insights count as used only when a suggestion with them succeeds.
 * - A call that throws changes nothing.
 *
 * A subclass may have further constructor arguments, listed in `svc_param_schema`, and may override {@link
 * _create_optimizer}. The constructor of this class calls it before any attribute of the subclass is set: it must read
 * {@link settings}, and must not store values in attributes with an initializer.
 */
export class HybridOptimizer<Custom extends object = object> extends AbstractSequentialOptimizer {
  /** The constructor arguments, with defaults of custom ones, without the key. */
  protected readonly settings: Readonly<Omit<HybridArguments, 'ai_api_key'> & Custom>;
  readonly #key: string | null;
  private readonly domain: Domain;
  private readonly runs: Runs;
  private readonly optimizer: PluggedIn;
  private readonly customFields: ParameterField[];
  private readonly log = new RunLog();
  private ai: HybridSettings;
  private host: OptimizerHost | null = null;
  private suggester: Suggester | null = null;
  private insights: OfferedInsight[] = [];
  private lastReport: HybridSampleReport = { rows: [], insights_used: [], limits_used: [] };

  /**
   * @param args plain JSON
   * @throws ServiceError `invalid` with a fault for everything that is wrong, also when a field of a subclass or a
   *   runtime parameter of the plugged-in optimizer has the name of a setting of this class
   */
  constructor(args: HybridArguments & Custom) {
    super();
    this.ai = hybridSettingsOf(args);
    this.customFields = customFieldsOf(this.constructor as typeof HybridOptimizer, HybridOptimizer);
    const { ai_api_key = null, ...open } = args;
    this.#key = ai_api_key;
    this.settings = Object.freeze({
      ...Object.fromEntries(this.customFields.map((field) => [field.key, field.default])),
      ...open,
    }) as typeof this.settings;
    const { inputs, outputs, constraints = [] } = args;
    this.domain = Domain.of({ inputs, outputs, constraints });
    this.runs = new Runs((point) => this.domain.encode(point), this.get_input_names());
    this.optimizer = pluggedIn(this._create_optimizer(inputs, outputs, constraints), this.domain.space);
  }

  /** @returns fields for the settings of the AI and for those of the Bayesian optimizer */
  static override svc_param_schema(): ParameterField[] {
    return structuredClone([...hybridFields, ...BayesianSequentialOptimizer.svc_param_schema()]);
  }

  /** @returns names of the constructor arguments, those of a subclass left out */
  static svc_argument_names(): string[] {
    return [...hybridKeys, ...bayesianArgumentNames];
  }

  /** @returns the arguments with inputs that fit the parameters of the protocol, as {@link fittedArguments} */
  static svc_fit_arguments(args: JsonObject, integers: readonly string[]): JsonObject {
    return fittedArguments(args, integers);
  }

  /**
   * Creates the plugged-in optimizer; the default is a Bayesian one with the arguments that belong neither to the AI
   * nor to a subclass. It gets every valid point from both sources, with reports in any order.
   */
  protected _create_optimizer(
    inputs: readonly Input[],
    outputs: readonly Output[],
    constraints: readonly Constraint[],
  ): AbstractSequentialOptimizer {
    const custom = new Set(this.customFields.map(({ key }) => key));
    const others = Object.entries(this.settings).filter(([key]) => !hybridKeys.has(key) && !custom.has(key));
    return new BayesianSequentialOptimizer(
      { ...Object.fromEntries(others), inputs, outputs, constraints },
      { now: () => this.host?.clock.now() ?? 0 },
    );
  }

  /**
   * Connects the optimizer to its host. Before, no time limit is ever reached, and the AI cannot be asked.
   *
   * @throws ServiceError `invalid` when the AI is enabled and the host does not have its provider
   */
  connect(host: OptimizerHost): void {
    this.suggester = this.suggesterFor(this.ai, host);
    this.host = host;
  }

  /** @returns the settings of this class, of the plugged-in optimizer and of a subclass, as a page shows them */
  get_param_schema(): ParameterField[] {
    return allFields(this.optimizer, this.customFields);
  }

  /**
   * Proposes points, all from the AI or all from the plugged-in optimizer; {@link last_sample} says from which.
   *
   * @throws ServiceError `invalid` for a number of rows that is not a whole number above 0; `wrong_state` when a run
   *   of one of the names has begun; `optimizer_error` when a row of the plugged-in optimizer does not fit the domain;
   *   errors of the plugged-in optimizer
   */
  override async sample(
    num_protocol_runs: number,
    run_names?: readonly string[],
  ): Promise<Table<number | string>> {
    const count = num_protocol_runs;
    if (!Number.isInteger(count) || count < 1)
      throw new ServiceError('invalid', `A sample has at least one row, not ${count}`);
    const names = runNamesOf(count, run_names);
    const begun = names.find((name) => name !== null && this.runs.has(name));
    if (begun !== undefined) throw new ServiceError('wrong_state', `Run "${begun}" has begun already`);
    const drawn = Rng.seeded(this.settings.seed ?? 0).fork(`draw ${names[0] ?? `#${this.runs.size + 1}`}`);
    if (drawn.uniform() >= this.ai.pAi) return this.byOptimizer(count, names, {});
    const offered = this.insights;
    const suggestion = await this.suggestion(count, offered);
    const { tokens } = suggestion;
    const model = this.settings.ai_model!;
    if (suggestion.points === undefined) {
      return this.byOptimizer(count, names, { model, tokens, fallback: suggestion.failure });
    }
    const rows = suggestion.points;
    try {
      await this.report_started(rows, run_names);
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, 400);
      const fallback = { code: 'refused', message: `The plugged-in optimizer refuses the point: ${message}` };
      return this.byOptimizer(count, names, { model, tokens, fallback });
    }
    this.insights = [];
    const texts = offered.map(({ text }) => text);
    this.settle(
      names,
      'ai',
      suggestion.adjusted.map((adjusted, i) => ({
        journal: suggestion.journal,
        model,
        ...(i === 0 ? { tokens } : {}),
        ...(i === 0 && texts.length > 0 ? { insights: texts } : {}),
        ...(adjusted ? { adjusted } : {}),
      })),
      { insights_used: offered.map(({ id }) => id), limits_used: [] },
    );
    return rows.map((row) => ({ ...row }));
  }

  /**
   * Records results of points from both sources, and reports them to the plugged-in optimizer.
   *
   * @throws ServiceError `invalid` with a fault for each missing or unknown column, number that is not finite and
   *   point outside of the domain; `wrong_state` when a named run was reported with other results; errors of the
   *   plugged-in optimizer
   */
  override async report(
    inputs_df: Table,
    outputs_df: Table<number>,
    run_names?: readonly string[],
  ): Promise<void> {
    const results = resultsOf(outputs_df, pointsOf(inputs_df, this.domain).length, this.get_output_names());
    await this.told(
      inputs_df,
      run_names,
      (point, name, i) => this.runs.measure(point, results[i]!, name),
      () => this.optimizer.report(inputs_df, outputs_df, run_names),
    );
  }

  /** Records points that others have begun. @throws ServiceError as {@link report} */
  override async report_started(inputs_df: Table, run_names?: readonly string[]): Promise<void> {
    await this.told(
      inputs_df,
      run_names,
      (point, name) => this.runs.begin(point, name),
      () => this.optimizer.report_started(inputs_df, run_names),
    );
  }

  /** Records runs that ended without a result. @throws ServiceError as {@link report} */
  override async report_failed(inputs_df: Table, run_names?: readonly string[]): Promise<void> {
    await this.told(
      inputs_df,
      run_names,
      (point, name) => this.runs.fail(point, name),
      () => this.optimizer.report_failed(inputs_df, run_names),
    );
  }

  /**
   * Records details of runs: the source, the journal of the AI, values of `ai_additional_parameters`. It replaces
   * earlier details, and may be called before or after the report of the runs.
   */
  report_details(details: readonly RunDetails[]): void {
    this.log.tell(details);
    this.optimizer.report_details?.(details);
  }

  /** Passes the unfinished work of the laboratory on to the plugged-in optimizer. */
  report_schedule(schedule: LabSchedule | null): void {
    this.optimizer.report_schedule?.(schedule);
  }

  /** Replaces the insights for the next suggestion of the AI, oldest first. */
  offer_insights(insights: readonly OfferedInsight[]): void {
    this.insights = insights.map(({ id, text }) => ({ id, text }));
  }

  last_sample(): HybridSampleReport {
    return structuredClone(this.lastReport);
  }

  /** @returns the best rows according to the plugged-in optimizer */
  override get_optimal_solutions(): Table | Promise<Table> {
    return this.optimizer.get_optimal_solutions();
  }

  override get_input_names(): string[] {
    return this.domain.space.inputs.map(({ key }) => key);
  }

  override get_output_names(): string[] {
    return this.domain.space.outputs.map(({ key }) => key);
  }

  /** @returns `TASK.PARAMETER` of further values in the prompt */
  get_additional_names(): string[] {
    return [...this.ai.additionalParameters];
  }

  override get_num_samples_reported(): number {
    return this.optimizer.get_num_samples_reported();
  }

  override get_runtime_params(): RuntimeParameters {
    return { ...hybridRuntimeParametersOf(this.ai), ...this.optimizer.get_runtime_params() };
  }

  /**
   * Changes runtime parameters of this class and of the plugged-in optimizer. Setting one probability sets the other;
   * `p_ai` 0 switches the AI off.
   *
   * @throws ServiceError `invalid` when a name is unknown or a value is not allowed; nothing is then changed
   */
  override set_runtime_params(params: RuntimeParameters): void {
    const ai = changedHybridSettings(this.ai, params);
    const suggester = this.suggesterFor(ai, this.host);
    changePluggedIn(this.optimizer, params, this.get_param_schema());
    this.ai = ai;
    this.suggester = suggester;
  }

  /** The explanation of the plugged-in optimizer; null when it has none. */
  explain(): unknown {
    return this.optimizer.explain?.() ?? null;
  }

  /** The whole state but the constructor arguments and the offered insights, as plain JSON. */
  state(): HybridState {
    return {
      format: 1,
      runs: this.runs.inOrder().map(({ row: _, ...run }) => run),
      details: this.log.state(),
      runtime_params: hybridRuntimeParametersOf(this.ai),
      optimizer: structuredClone(this.optimizer.state?.() ?? null),
    };
  }

  /**
   * Restores a {@link state} of an optimizer with the same arguments.
   *
   * @throws ServiceError `invalid` for an invalid state; `wrong_state` when the plugged-in optimizer cannot be
   *   restored, but only informed of the runs again
   */
  restore(state: HybridState): void {
    if (state?.format !== 1 || !Array.isArray(state.runs) || !Array.isArray(state.details)) {
      throw new ServiceError('invalid', 'This is no state of a hybrid optimizer; give what state() gave');
    }
    if (this.optimizer.restore === undefined) {
      throw new ServiceError('wrong_state', 'The plugged-in optimizer cannot be restored; report the runs');
    }
    const ai = changedHybridSettings(this.ai, state.runtime_params);
    const suggester = this.suggesterFor(ai, this.host);
    const points = state.runs.map((run) => run.point);
    pointsOf(points, this.domain);
    this.optimizer.restore(state.optimizer);
    this.runs.restore(structuredClone(state.runs));
    this.log.restore(state.details);
    this.ai = ai;
    this.suggester = suggester;
  }

  private async byOptimizer(
    count: number,
    names: readonly (string | null)[],
    note: TrialNote,
  ): Promise<Table<number | string>> {
    const named = names.filter((name) => name !== null);
    const rows = await this.optimizer.sample(count, named.length === count ? named : undefined);
    const points = proposedPoints(rows, count, this.domain);
    this.runs.atomically(() => points.forEach((point, i) => this.runs.begin(point, names[i]!)));
    const account = this.optimizer.last_sample?.() ?? {};
    const limits = [...(account.limits_used ?? [])];
    const { tokens, ...others } = note;
    if (limits.length > 0) others.limits_used = limits;
    this.settle(
      names,
      'optimizer',
      points.map((_, i) => {
        const schedule = account.rows?.[i]?.note.schedule;
        return {
          ...others,
          ...(i === 0 && tokens !== undefined ? { tokens } : {}),
          ...(schedule === undefined ? {} : { schedule }),
        };
      }),
      { insights_used: [], limits_used: limits },
    );
    return points.map((point) => ({ ...point }));
  }

  private async suggestion(count: number, insights: readonly OfferedInsight[]): Promise<Suggestion> {
    if (this.suggester === null) {
      const failure = { code: 'not_connected', message: 'No language model can be reached from here' };
      return { failure, tokens: { input: 0, output: 0 } };
    }
    const situation = {
      ...this.ai,
      ...this.log.situation(this.runs.inOrder()),
      space: this.domain.space,
      protocol: this.host?.protocol ?? '',
      beliefs: beliefsOf(this.optimizer),
      insights: insights.map(({ text }) => text),
      count,
    };
    return this.suggester.suggest(situation, this.domain);
  }

  private suggesterFor(ai: HybridSettings, host: OptimizerHost | null): Suggester | null {
    if (ai.pAi === 0 || ai.model === null || host === null) return null;
    if (host === this.host && this.suggester !== null) return this.suggester;
    return new Suggester(host.models, ai, this.#key);
  }

  /** Records runs here and in the plugged-in optimizer, or, when either refuses, nowhere. */
  private async told(
    inputs_df: Table,
    run_names: readonly string[] | undefined,
    here: (point: Point, name: string | null, i: number) => void,
    there: () => void | Promise<void>,
  ): Promise<void> {
    const points = pointsOf(inputs_df, this.domain);
    const names = runNamesOf(points.length, run_names);
    const before = this.runs.inOrder();
    this.runs.atomically(() => points.forEach((point, i) => here(point, names[i]!, i)));
    try {
      await there();
    } catch (error) {
      this.runs.restore(before);
      throw error;
    }
  }

  private settle(
    names: readonly (string | null)[],
    source: TrialSource,
    notes: TrialNote[],
    used: Pick<HybridSampleReport, 'insights_used' | 'limits_used'>,
  ): void {
    this.log.tell(
      names.flatMap((run, i) => (run === null ? [] : [{ run, source, note: notes[i]!, additional: {} }])),
    );
    this.lastReport = { rows: notes.map((note) => ({ source, note })), ...used };
  }
}
