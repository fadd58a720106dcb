import { isProposed, type JsonValue, type TaskParameters, type Trial } from '@lab/contracts';
import {
  checkRunParameters,
  declaredBounds,
  dynamicParameters,
  type ProtocolSnapshot,
} from '@lab/definitions/model';
import { jsonEqual } from '@lab/ports';
import {
  type CampaignRow,
  type OptimizerRow,
  type ProtocolRunRow,
  type TaskRunRow,
  type TrialRow,
  trialKey,
} from '../rows/index.js';
import { campaignRunName, mergeParameters, runLimit, splitReference } from '../submission/index.js';
import type { Turn, WorkingState } from '../turn/index.js';

/**
 * Trials: rows of parameters from the optimizer of a campaign. Each belongs for ever to the run of one number. A trial
 * is committed before its run begins. It changes its state in the commit in which its run does.
 */

/** Says whether the run of that number can begin: its parameters are listed, its trial exists, or it needs neither. */
export function mayBegin(state: WorkingState, campaign: CampaignRow, n: number): boolean {
  if (campaign.optimizer === null) return n <= (campaign.protocolRunParameters?.length ?? n);
  const trial = state.rows.trials.get(trialKey(campaign.id, n));
  return trial !== undefined && isProposed(trial.state);
}

/** Parameters of the n-th run. Its own ones replace global ones, and those of its trial replace both. */
export function runParameters(state: WorkingState, campaign: CampaignRow, n: number): TaskParameters {
  const own = mergeParameters(campaign.globalParameters, campaign.protocolRunParameters?.[n - 1] ?? {});
  const trial = state.rows.trials.get(trialKey(campaign.id, n));
  return trial === undefined ? own : mergeParameters(own, parametersOf(trial.inputs));
}

/** Marks the trial of a run that was created or resumed as running. */
export function beginTrial(turn: Turn, campaignId: string, n: number): void {
  const trial = turn.state.rows.trials.get(trialKey(campaignId, n));
  if (trial !== undefined) turn.emit({ op: 'updateTrial', id: trial.id, patch: { state: 'running' } });
}

/** Greatest length of an additional parameter that is stored with a trial, in characters as JSON. */
const longestAdditional = 16_384;

/**
 * Settles the trial of an ended run. It is measured only if every output is a finite number. Additional parameters
 * that would not fit into a message are left out; the task still has them.
 */
export function settleTrial(turn: Turn, run: ProtocolRunRow, completed: boolean): void {
  const trial = trialOf(turn.state, run);
  const optimizer = turn.state.rows.campaigns.get(run.campaignId ?? '')?.optimizer;
  if (trial === undefined || optimizer === undefined || optimizer === null) return;
  const tasks = turn.state.tasksOf(run.id);
  const outputs = numbersOf(tasks, optimizer.output_names);
  turn.emit({
    op: 'updateTrial',
    id: trial.id,
    patch: {
      additional: Object.fromEntries(
        Object.entries(valuesOf(tasks, optimizer.additional_names)).filter(
          ([, value]) => JSON.stringify(value).length <= longestAdditional,
        ),
      ),
      ...(completed && outputs !== null ? { state: 'measured', outputs } : { state: 'failed' }),
      ...(completed ? { durations: durationsOf(tasks) } : {}),
    },
  });
}

export function trialOf(state: WorkingState, run: ProtocolRunRow): TrialRow | undefined {
  const n = run.meta['campaign_run'];
  return run.campaignId === null || typeof n !== 'number'
    ? undefined
    : state.rows.trials.get(trialKey(run.campaignId, n));
}

/** A trial without the fields of the store. */
export function reportOf({ id: _id, campaignId: _campaign, ...trial }: TrialRow): Trial {
  return trial;
}

/** Trials of a campaign whose runs have not begun, by number. */
export function pendingTrials(state: WorkingState, campaign: CampaignRow): Trial[] {
  const pending: Trial[] = [];
  for (let n = campaign.runsStarted + 1; n <= horizon(state, campaign); n += 1) {
    const trial = state.rows.trials.get(trialKey(campaign.id, n));
    if (trial !== undefined) pending.push(reportOf(trial));
  }
  return pending;
}

/** Coming runs without a trial: those that could begin at once, and half as many more, so that none must wait. */
export function missingTrials(state: WorkingState, campaign: CampaignRow): number[] {
  const missing: number[] = [];
  for (let n = campaign.runsStarted + 1; n <= horizon(state, campaign); n += 1)
    if (!state.rows.trials.has(trialKey(campaign.id, n))) missing.push(n);
  return missing;
}

function horizon(state: WorkingState, campaign: CampaignRow): number {
  const { maxConcurrentProtocolRuns: most, runsStarted } = campaign;
  const room = Math.max(0, most - state.openRunsOf(campaign.id).length);
  return Math.min(runLimit(campaign), runsStarted + room + Math.max(1, Math.ceil(most / 2)));
}

/** Makes the trials of coming runs for which the submission gives all inputs of the optimizer. */
export function seedTrials(turn: Turn, campaign: CampaignRow): void {
  const { optimizer, protocolRunParameters } = campaign;
  if (optimizer === null || protocolRunParameters === null) return;
  for (const n of missingTrials(turn.state, campaign)) {
    const inputs = inputsIn(protocolRunParameters[n - 1] ?? {}, optimizer.input_names);
    if (inputs !== undefined)
      insertTrial(turn, campaign, {
        number: n,
        run: campaignRunName(campaign.name, n),
        source: 'given',
        state: 'proposed',
        inputs,
        outputs: null,
        additional: {},
        note: {},
      });
  }
}

/**
 * Makes trials for runs without one. A number for an integer parameter is rounded, and the optimizer gets the result with
 * the integer.
 *
 * @returns the fault of a proposal in words; null: all trials were made
 */
export function acceptProposals(
  turn: Turn,
  campaign: CampaignRow,
  asked: readonly number[],
  proposed: readonly Trial[],
): string | null {
  const snapshot = turn.state.protocolOf(campaign);
  const byNumber = new Map(
    proposed.map((trial) => [trial.number, rounded(trial, snapshot, campaign.optimizer)]),
  );
  for (const n of asked) {
    const trial = byNumber.get(n);
    const run = campaignRunName(campaign.name, n);
    if (trial === undefined || trial.run !== run) return `the optimizer proposed no row for ${run}`;
    if (turn.state.rows.trials.has(trialKey(campaign.id, n))) continue;
    const parameters = parametersOf(trial.inputs);
    const [fault] =
      snapshot === undefined ? [] : checkRunParameters(snapshot, parameters, { path: '', complete: false });
    if (fault !== undefined) return `the row for ${run} cannot be run: ${fault.path}: ${fault.message}`;
  }
  for (const n of asked) {
    const trial = byNumber.get(n);
    if (trial !== undefined && !turn.state.rows.trials.has(trialKey(campaign.id, n)))
      insertTrial(turn, campaign, {
        ...trial,
        state: 'proposed',
        outputs: null,
        additional: {},
        note: storable(trial.note) as Trial['note'],
      });
  }
  return null;
}

/** The trial with integers for integer parameters, within the bounds of the optimizer and of the parameter. */
function rounded(
  trial: Trial,
  snapshot: ProtocolSnapshot | undefined,
  optimizer: OptimizerRow | null,
): Trial {
  if (snapshot === undefined || optimizer === null) return trial;
  const inputs = { ...trial.inputs };
  for (const { task, parameter, spec } of dynamicParameters(snapshot)) {
    const key = `${task}.${parameter}`;
    const value = inputs[key];
    if (spec.type !== 'int' || typeof value !== 'number' || Number.isInteger(value)) continue;
    const bounds = declaredBounds(optimizer, key);
    const lower = Math.max(bounds[0], spec.min ?? -Infinity);
    const upper = Math.min(bounds[1], spec.max ?? Infinity);
    const nearest = Math.round(value);
    // A number outside of the bounds stays outside, so that the check of the row refuses it.
    const isWithin = value >= lower && value <= upper;
    inputs[key] = isWithin ? Math.min(Math.floor(upper), Math.max(Math.ceil(lower), nearest)) : nearest;
  }
  return jsonEqual(inputs, trial.inputs)
    ? trial
    : { ...trial, inputs, note: { ...trial.note, adjusted: true } };
}

/** Marks insights that a proposal has used. */
export function useInsights(turn: Turn, campaign: CampaignRow, used: readonly string[]): void {
  const { optimizer } = campaign;
  if (optimizer === null || used.length === 0) return;
  const insights = optimizer.insights.map((each) =>
    used.includes(each.id) ? { ...each, used: true } : each,
  );
  setOptimizer(turn, campaign, { insights });
}

/** Changes the stored data of the optimizer of a campaign. */
export function setOptimizer(turn: Turn, campaign: CampaignRow, patch: Partial<OptimizerRow>): void {
  const optimizer = turn.state.rows.campaigns.get(campaign.id)?.optimizer;
  if (optimizer === null || optimizer === undefined) return;
  turn.emit({ op: 'updateCampaign', id: campaign.id, patch: { optimizer: { ...optimizer, ...patch } } });
}

/** Records that the optimizer proposes no more rows. The campaign fails when the runs with a trial are over. */
export function noteFailure(turn: Turn, campaign: CampaignRow, code: string, message: string): void {
  if (turn.state.rows.campaigns.get(campaign.id)?.optimizer?.failure === null)
    setOptimizer(turn, campaign, { failure: { code, message: storable(message) as string } });
}

/** Replaces characters that PostgreSQL cannot store, at any depth. Authors and models may write any text. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\u0000', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [storable(key) as string, storable(entry)]),
  );
}

function insertTrial(turn: Turn, campaign: CampaignRow, trial: Trial): void {
  const id = trialKey(campaign.id, trial.number);
  turn.emit({ op: 'insertTrial', row: { ...trial, id, campaignId: campaign.id, durations: null } });
}

/** Turns `{ 'mix.cyan': 2 }` into `{ mix: { cyan: 2 } }`. */
function parametersOf(inputs: Trial['inputs']): TaskParameters {
  const tasks = new Map<string, Record<string, JsonValue>>();
  for (const [name, value] of Object.entries(inputs)) {
    const [task, parameter] = splitReference(name);
    tasks.set(task, { ...tasks.get(task), [parameter]: value });
  }
  return Object.fromEntries(tasks);
}

/** The inputs of an optimizer among the parameters of a run; undefined when one is missing. */
function inputsIn(parameters: TaskParameters, names: readonly string[]): Trial['inputs'] | undefined {
  const inputs: Trial['inputs'] = {};
  for (const name of names) {
    const [task, parameter] = splitReference(name);
    const values = Object.hasOwn(parameters, task) ? (parameters[task] ?? {}) : {};
    const value = Object.hasOwn(values, parameter) ? values[parameter] : undefined;
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean')
      return undefined;
    inputs[name] = value;
  }
  return inputs;
}

/** Seconds that each completed task took, in its last attempt. */
function durationsOf(tasks: readonly TaskRunRow[]): Record<string, number> {
  return Object.fromEntries(
    tasks.flatMap(({ name, state, startedAt, endedAt }) =>
      state === 'completed' && startedAt !== null && endedAt !== null
        ? [[name, Math.max(0, endedAt - startedAt) / 1000]]
        : [],
    ),
  );
}

function numbersOf(tasks: readonly TaskRunRow[], names: readonly string[]): Record<string, number> | null {
  const numbers: [string, number][] = [];
  for (const [name, value] of Object.entries(valuesOf(tasks, names)))
    if (typeof value === 'number' && Number.isFinite(value)) numbers.push([name, value]);
  return numbers.length === new Set(names).size ? Object.fromEntries(numbers) : null;
}

/** Output or input values of tasks by reference. Unknown values are left out. */
function valuesOf(tasks: readonly TaskRunRow[], names: readonly string[]): Record<string, JsonValue> {
  const values: [string, JsonValue][] = [];
  for (const name of names) {
    const [taskName, parameter] = splitReference(name);
    const task = tasks.find((each) => each.name === taskName);
    const from = [task?.outputParameters ?? {}, task?.inputParameters ?? {}].find((each) =>
      Object.hasOwn(each, parameter),
    );
    const value = from?.[parameter];
    if (value !== undefined) values.push([name, value]);
  }
  return Object.fromEntries(values);
}
