import {
  isSatisfied,
  isSettled,
  isTerminal,
  mayBeResumed,
  type CampaignSubmission,
  type Fault,
  type JsonObject,
  type JsonValue,
  type LabRights,
  type ProtocolRunSubmission,
} from '@lab/contracts';
import { jsonEqual } from '@lab/ports';
import { placeFaults } from '../labs/index.js';
import {
  type CampaignRow,
  type EndedWork,
  type OptimizerRow,
  type ProtocolRunRow,
  type TaskRunRow,
  conflict,
  unbegun,
  unstarted,
} from '../rows/index.js';
import {
  type Accepted,
  type SubmitPorts,
  comingRunNames,
  drainingFaults,
  refuse,
  refuseBacklog,
  refuseRunNames,
  runLimit,
  submitCampaign,
  submitProtocolRun,
} from '../submission/index.js';
import { type Person, type Recall, type Turn, audit, newEvent, placeOf } from '../turn/index.js';
import { setOptimizer, trialOf } from '../work/index.js';
import { refuseDeletion } from './archive.js';
import { refuseForeignWork } from './foreign-work.js';
import { openWork } from './open-work.js';
import { unpauseWork } from './pause.js';

/**
 * Completed tasks keep their outputs. All others start afresh and keep only the numbers of their attempts.
 * Definitions, parameters and numbers of runs stay as they were accepted.
 */

/**
 * @throws ServiceError `not_found`; `forbidden` for its laboratories; `wrong_state` when there is nothing to resume, or its campaign is over or ending;
 *   `invalid` when the loaded laboratories cannot run it; `backlog_full`
 */
export function resumeProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  person: Person,
  name: string,
  rights: LabRights,
): Accepted {
  refuseForeignWork(turn, rights, 'protocol_run', name);
  const work = turn.ended('protocolRun', name);
  const [run] = work?.protocolRuns ?? [];
  if (work === undefined || run === undefined || turn.state.rows.protocolRunNames.has(name))
    return unpauseWork(turn, person, 'protocol_run', openWork(turn, 'protocol_run', name));
  refuseArchived(turn, 'protocol run', name, work);
  refuseCompleted('protocol run', run);
  const campaign = run.campaignId === null ? undefined : campaignOf(turn, run, work);
  refuseUnfit(turn, ports, 'protocol run', work);
  turn.recall(work);
  if (campaign !== undefined && run.state === 'failed')
    turn.emit({
      op: 'updateCampaign',
      id: campaign.id,
      patch: { runsFailed: Math.max(0, campaign.runsFailed - 1) },
    });
  reopenRun(turn, run, work.taskRuns);
  audit(turn, person, 'protocol_run.resume', `protocol_run/${name}`);
  return { id: run.id, name };
}

/**
 * Its failed and cancelled runs continue first, then the coming runs start. Throws as {@link resumeProtocolRun}, and
 * `duplicate_name` when the name of a coming run was taken.
 *
 * @param remade its optimizer with further overrides
 * @param rights of the caller
 */
export function resumeCampaign(
  turn: Turn,
  ports: SubmitPorts,
  person: Person,
  name: string,
  remade: Partial<OptimizerRow> | undefined,
  rights: LabRights,
): Accepted {
  refuseForeignWork(turn, rights, 'campaign', name);
  const work = turn.ended('campaign', name);
  const campaign = work?.campaign ?? undefined;
  if (work === undefined || campaign === undefined || turn.state.rows.campaignNames.has(name))
    return goOn(turn, person, openWork(turn, 'campaign', name), remade);
  refuseArchived(turn, 'campaign', name, work);
  refuseCompleted('campaign', campaign);
  refuseUnfit(turn, ports, 'campaign', work);
  refuseRunNames(turn, name, campaign.runsStarted, runLimit(campaign));
  turn.recall(work, campaign);
  turn.setCampaign(campaign, 'created', {
    ending: null,
    reason: null,
    pausedAt: null,
    endedAt: null,
    runsFailed: 0,
  });
  setOptimizer(turn, campaign, { best: null, failure: null, ...remade });
  for (const run of work.protocolRuns)
    reopenRun(
      turn,
      run,
      work.taskRuns.filter((task) => task.runId === run.id),
    );
  audit(turn, person, 'campaign.resume', `campaign/${name}`);
  return { id: campaign.id, name };
}

/** Resumes a paused campaign. */
function goOn(
  turn: Turn,
  person: Person,
  campaign: CampaignRow,
  remade: Partial<OptimizerRow> | undefined,
): Accepted {
  const accepted = unpauseWork(turn, person, 'campaign', campaign);
  if (remade !== undefined) setOptimizer(turn, campaign, remade);
  return accepted;
}

/** The run that a submission resumes; undefined: it is a new run. */
export function resumedRun(
  turn: Turn,
  { name, resume }: Pick<ProtocolRunSubmission, 'name' | 'resume'>,
): ProtocolRunRow | undefined {
  if (resume !== true) return undefined;
  const { protocolRuns, protocolRunNames } = turn.state.rows;
  return (
    protocolRuns.get(protocolRunNames.get(name) ?? '') ?? turn.ended('protocolRun', name)?.protocolRuns[0]
  );
}

/** The campaign that a submission resumes; undefined: it is a new campaign. */
export function resumedCampaign(
  turn: Turn,
  { name, resume }: Pick<CampaignSubmission, 'name' | 'resume'>,
): CampaignRow | undefined {
  if (resume !== true) return undefined;
  const { campaigns, campaignNames } = turn.state.rows;
  return campaigns.get(campaignNames.get(name) ?? '') ?? turn.ended('campaign', name)?.campaign ?? undefined;
}

/** Submits a run, or resumes the run of that name if the submission asks for it. */
export function submitOrResumeProtocolRun(
  turn: Turn,
  ports: SubmitPorts,
  person: Person,
  submission: ProtocolRunSubmission,
  rights: LabRights,
): Accepted {
  const { name } = submission;
  const run = resumedRun(turn, submission);
  if (run === undefined) return submitProtocolRun(turn, ports, submission, rights);
  refuseForeignWork(turn, rights, 'protocol_run', name);
  refuseOthers('protocol run', name, submission, {
    type: run.type,
    owner: run.owner,
    priority: run.priority,
    parameters: run.parameters,
    failure_policy: run.failurePolicy,
    meta: run.meta,
  });
  return resumeProtocolRun(turn, ports, person, name, rights);
}

/**
 * @param optimizer.made of a new campaign; null: none
 * @param optimizer.remade as in {@link resumeCampaign}
 */
export function submitOrResumeCampaign(
  turn: Turn,
  ports: SubmitPorts,
  person: Person,
  submission: CampaignSubmission,
  { made, remade }: { made: OptimizerRow | null; remade: Partial<OptimizerRow> | undefined },
  rights: LabRights,
): Accepted {
  const { name } = submission;
  const campaign = resumedCampaign(turn, submission);
  if (campaign === undefined) return submitCampaign(turn, ports, submission, made, rights);
  refuseForeignWork(turn, rights, 'campaign', name);
  const own = submission.meta === undefined ? {} : { meta: withoutOverrides(submission.meta) };
  refuseOthers(
    'campaign',
    name,
    { ...submission, ...own },
    {
      protocol: campaign.protocol,
      owner: campaign.owner,
      priority: campaign.priority,
      max_protocol_runs: campaign.maxProtocolRuns,
      max_concurrent_protocol_runs: campaign.maxConcurrentProtocolRuns,
      optimize: campaign.optimize,
      optimizer_ip: campaign.optimizerIp,
      global_parameters: campaign.globalParameters,
      protocol_run_parameters: campaign.protocolRunParameters,
      failure_policy: campaign.failurePolicy,
      on_run_failure: campaign.onRunFailure,
      max_failures: campaign.maxFailures,
      meta: withoutOverrides(campaign.meta),
    },
  );
  return resumeCampaign(turn, ports, person, name, remade, rights);
}

/** A resume may give other overrides, so these are not compared. */
function withoutOverrides({ optimizer_overrides: _over, ...meta }: JsonObject): JsonObject {
  return meta;
}

/** Refuses a resume whose submission differs from the original one. Absent fields count as equal. */
function refuseOthers(
  what: string,
  name: string,
  submission: object,
  record: Readonly<Record<string, unknown>>,
): void {
  const given = submission as Readonly<Record<string, unknown>>;
  const faults: Fault[] = Object.entries(record)
    .filter(([field, value]) => given[field] !== undefined && !jsonEqual(given[field], value))
    .map(([field]) => ({
      path: field,
      code: 'differs',
      message: `differs from the submission of the ${what} "${name}"`,
      hint: 'leave it out, or submit under another name without resume',
    }));
  refuse(what, faults);
}

function refuseArchived(turn: Turn, what: string, name: string, work: EndedWork): void {
  const { campaign, protocolRuns, archivedAt } = work;
  refuseDeletion(turn, (campaign ?? protocolRuns[0])?.id ?? '', `the ${what} "${name}"`);
  if (archivedAt !== null)
    throw conflict(`the ${what} "${name}" is archived; restore it before you resume it`);
}

function refuseCompleted(what: string, row: CampaignRow | ProtocolRunRow): void {
  if (!mayBeResumed(row.state))
    throw conflict(`the ${what} "${row.name}" is ${row.state}; there is nothing to resume`);
}

/** The open campaign of a run. It decides when its runs continue, so a run is resumed only while it is open. */
function campaignOf(turn: Turn, run: ProtocolRunRow, { campaign: stored }: EndedWork): CampaignRow {
  const campaign = turn.state.rows.campaigns.get(run.campaignId ?? '') ?? stored;
  if (campaign === null || isTerminal(campaign.state) || campaign.ending !== null)
    throw conflict(
      `the protocol run "${run.name}" belongs to a campaign that ${
        campaign === null || isTerminal(campaign.state) ? `is ${campaign?.state ?? 'over'}` : 'is ending'
      }${campaign !== null && mayBeResumed(campaign.state) ? `; resume the campaign "${campaign.name}"` : ''}`,
    );
  return campaign;
}

function refuseUnfit(turn: Turn, ports: SubmitPorts, what: string, work: EndedWork): void {
  for (const { kind, body } of work.definitions)
    if (kind === 'protocol')
      refuse(what, [
        ...placeFaults(ports.labs(), body),
        ...drainingFaults(ports, body.protocol.labs, 'labs'),
      ]);
  refuseBacklog(turn, ports, (work.protocolRuns[0] ?? work.campaign)?.owner ?? '');
}

function reopenRun(turn: Turn, run: ProtocolRunRow, tasks: readonly TaskRunRow[]): void {
  turn.setRun(run, 'created', unstarted());
  const trial = trialOf(turn.state, run);
  if (trial !== undefined && isSettled(trial.state))
    turn.emit({ op: 'updateTrial', id: trial.id, patch: { state: 'running' } });
  for (const task of tasks)
    if (isTerminal(task.state) && !isSatisfied(task.state)) reopenTask(turn, run, task);
}

/** Publishes the former state of the task before it is reset. Its attempts stay as they are. */
function reopenTask(turn: Turn, run: ProtocolRunRow, task: TaskRunRow): void {
  turn.publish(newEvent('task_run', task.id, 'resumed', { ...former(task), ...placeOf(turn.state, task) }));
  turn.setTask(task, 'created', {
    ...unbegun(),
    inputParameters: Object.hasOwn(run.parameters, task.name) ? (run.parameters[task.name] ?? {}) : {},
    // `outputResources` stays, because it holds the present content of the resources; the annotations of the protocol
    // must not replace it.
  });
}

function former(task: TaskRunRow): JsonObject {
  const plain = {
    id: task.id,
    name: task.name,
    state: task.state,
    reason: task.reason,
    attempt: task.attempt,
    computer: task.computer,
    devices: task.devices,
    resources: task.resources,
    input_parameters: task.inputParameters,
    input_files: task.inputFiles,
    output_parameters: task.outputParameters,
    output_resources: task.outputResources,
    output_files: task.outputFiles,
    queued_at: task.queuedAt,
    started_at: task.startedAt,
    ended_at: task.endedAt,
  };
  return plain as unknown as Record<string, JsonValue>;
}

/** Asks for the finished campaign, and whether the names of its coming runs are taken. */
export function recallCampaign(name: string): Recall {
  return {
    kind: 'campaign',
    name,
    questions({ campaign }) {
      if (campaign === null) return [];
      const names = comingRunNames(name, campaign.runsStarted, runLimit(campaign));
      return [{ kind: 'protocolRun', names }];
    },
  };
}
