import {
  allLabs,
  type CampaignSubmission,
  type EstimatedTask,
  type LabRights,
  type SimulatedScheduler,
  type Submission,
  type SubmissionEstimate,
} from '@lab/contracts';
import type { Definitions, Engine, ProtocolRunRow, TaskRunRow } from '@lab/engine';
import { type Laboratory, type SimulationPorts, runParameters } from '../laboratory/index.js';
import { stuckTasks, waitedBy } from '../results/index.js';
import { type CurrentState, iso, playOn, requirePlayable } from './current-state.js';

/** Number of tasks of a campaign from which its pace is derived. */
const pacingTasks = 200;
/** Greatest number of simulated tasks of a campaign with many concurrent runs. */
const maxTasks = 1_000;
/** Greatest number of warnings. */
const maxWarnings = 20;

/**
 * When a submission would begin and end, if it was submitted at this moment beside the unfinished work. The estimate
 * does not include the time that an optimizer needs.
 *
 * @param asked a submission that the engine would accept
 * @param rights of the reader: warnings name no work of laboratories that the reader may not see
 * @throws ServiceError as the engine for the submission; `invalid` when there is too much unfinished work; `aborted`
 *   when `shouldStop` returned true
 */
export async function estimate(
  asked: Submission,
  current: CurrentState,
  definitions: Definitions,
  scheduler: SimulatedScheduler,
  ports: SimulationPorts,
  rights = allLabs,
): Promise<{ estimate: SubmissionEstimate; warnings: string[] }> {
  requirePlayable(current.rows.taskRuns.length);
  const { submit, share, left } = played(asked, definitions);
  const known = new Set(current.rows.taskRuns.map(({ id }) => id));
  const laboratory = await playOn(current, definitions, scheduler, ports, submit);
  const { runs, tasks, end, whole } = foundIn(laboratory, asked, known);
  const ended = runs.filter(({ state }) => state === 'completed');
  const spans = (asked.kind === 'task' ? (end === null ? [] : tasks) : ended).map(
    ({ startedAt, endedAt }) => ((endedAt ?? 0) - (startedAt ?? 0)) / 1000,
  );
  const starts = (runs.length > 0 ? runs : tasks).flatMap(({ startedAt }) => startedAt ?? []);
  const start = starts.length === 0 ? null : Math.min(...starts);
  const total = start === null || end === null || share === null ? null : start + (end - start) / share;
  const warnings = warningsOf(laboratory, asked, runs, tasks, rights);
  return {
    estimate: {
      at: new Date(current.now).toISOString(),
      scheduler: scheduler.type ?? 'greedy',
      starts_at: iso(start),
      ends_at: iso(total),
      seconds_per_run: spans.length === 0 ? null : round(spans.reduce((a, b) => a + b, 0) / spans.length),
      runs: runs.length,
      tasks: tasks.map((task) => estimatedTask(laboratory, task)),
      reason: whole ? left : 'it would not be completed within 30 days; see the warnings',
    },
    warnings,
  };
}

interface Played {
  submit: (engine: Engine) => Promise<unknown>;
  /** The simulated share of the work; null: the work has no end. */
  share: number | null;
  /** The part that is not simulated, in words; null: none. */
  left: string | null;
}

function played(asked: Submission, definitions: Definitions): Played {
  switch (asked.kind) {
    case 'protocol_run':
      return { submit: (engine) => engine.submissions.protocolRun(asked.submission), share: 1, left: null };
    case 'task':
      return { submit: (engine) => engine.submissions.task(asked.submission), share: 1, left: null };
    case 'campaign':
      return playedCampaign(asked.submission, definitions);
  }
}

/**
 * A campaign as it is simulated. Its parameters do not change the duration of its tasks, so the optimizer and rows of
 * parameters are left out.
 */
function playedCampaign(submission: CampaignSubmission, definitions: Definitions): Played {
  const {
    name,
    protocol,
    priority,
    max_protocol_runs: runs,
    max_concurrent_protocol_runs: most,
  } = submission;
  const snapshot = definitions.protocol(protocol);
  const each = Math.max(1, snapshot?.protocol.tasks.length ?? 1);
  const enough = Math.max(Math.ceil(pacingTasks / each), Math.min(most ?? 1, Math.floor(maxTasks / each)), 1);
  const count = runs === 0 ? enough : Math.min(enough, runs);
  const parameters = snapshot === undefined ? {} : runParameters(snapshot, submission.global_parameters);
  const part: CampaignSubmission = {
    name,
    protocol,
    max_protocol_runs: count,
    global_parameters: parameters,
    ...(priority === undefined ? {} : { priority }),
    ...(most === undefined ? {} : { max_concurrent_protocol_runs: most }),
  };
  const first = `its first ${count} were played through`;
  return {
    submit: (engine) => engine.submissions.campaign(part),
    share: runs === 0 ? null : count / runs,
    left:
      runs === 0
        ? `the campaign has no limit of runs; ${first}`
        : count < runs
          ? `of the ${runs} runs of the campaign ${first}, and its end is at their pace`
          : null,
  };
}

/**
 * The simulated result of a submission: its runs and the tasks of the first one, or the task itself.
 *
 * @param known task runs that existed before
 */
function foundIn(
  { store }: Laboratory,
  { kind, submission: { name } }: Submission,
  known: ReadonlySet<string>,
): { runs: ProtocolRunRow[]; tasks: TaskRunRow[]; end: number | null; whole: boolean } {
  const { campaigns, campaignNames, protocolRuns, protocolRunNames, taskRuns, tasksOfRun } = store.rows;
  if (kind === 'task') {
    const tasks = [...taskRuns.values()].filter(
      (task) => task.runId === null && task.name === name && !known.has(task.id),
    );
    const end = tasks[0]?.state === 'completed' ? tasks[0].endedAt : null;
    return { runs: [], tasks, end, whole: end !== null };
  }
  const campaign = kind === 'campaign' ? campaigns.get(campaignNames.get(name) ?? '') : undefined;
  const run = protocolRuns.get(protocolRunNames.get(name) ?? '');
  const runs =
    campaign === undefined
      ? run === undefined
        ? []
        : [run]
      : [...protocolRuns.values()].filter(({ campaignId }) => campaignId === campaign.id);
  const over = campaign ?? run;
  const end = over?.state === 'completed' ? over.endedAt : null;
  const tasks = [...(tasksOfRun.get(runs[0]?.id ?? '')?.values() ?? [])].flatMap(
    (id) => taskRuns.get(id) ?? [],
  );
  return { runs, tasks, end, whole: end !== null };
}

function warningsOf(
  laboratory: Laboratory,
  { kind }: Submission,
  runs: readonly ProtocolRunRow[],
  tasks: readonly TaskRunRow[],
  rights: LabRights,
): string[] {
  const names = new Set(runs.map(({ name }) => name));
  const { history } = laboratory;
  const own = new Set(
    [...history.tasks.values()].flatMap(({ id, label, run }) =>
      (kind === 'task' ? tasks.some((task) => task.id === id) : run !== null && names.has(run))
        ? [label]
        : [],
    ),
  );
  return [
    ...stuckTasks(laboratory, rights)
      .filter(({ task }) => own.has(task))
      .map(({ task, waits_for }) => `${task} would wait for ever: ${waits_for.join('; ')}`),
    ...[...runs, ...(kind === 'task' ? tasks : [])].flatMap(({ name, reason }) =>
      reason === null ? [] : [`${name}: ${reason.message}`],
    ),
  ].slice(0, maxWarnings);
}

function estimatedTask(laboratory: Laboratory, { id, name, startedAt, endedAt }: TaskRunRow): EstimatedTask {
  return { name, starts_at: iso(startedAt), ends_at: iso(endedAt), waited: waitedBy(laboratory, id) };
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
