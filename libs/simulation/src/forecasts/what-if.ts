import {
  allLabs,
  ServiceError,
  type ProtocolRunSubmission,
  type SimulatedScheduler,
  type WhatIfRecord,
} from '@lab/contracts';
import type { Definitions, WorkingRows } from '@lab/engine';
import type { Laboratory, SimulationPorts } from '../laboratory/index.js';
import { stuckTasks } from '../results/index.js';
import { type CurrentState, iso, playOn, requirePlayable } from './current-state.js';

/** Greatest number of other runs and tasks in the answer. */
const maxOthers = 500;

/**
 * What would happen to a protocol run that was submitted at this moment, beside the unfinished work. The simulation
 * runs twice, without the run and with it.
 *
 * @param rights of the reader: notes name no work of laboratories that the reader may not see
 * @throws ServiceError as the engine for the submission; `invalid` when there is too much unfinished work; `aborted`
 *   when `shouldStop` returned true
 */
export async function whatIf(
  submission: ProtocolRunSubmission,
  current: CurrentState,
  definitions: Definitions,
  scheduler: SimulatedScheduler,
  ports: SimulationPorts,
  rights = allLabs,
): Promise<WhatIfRecord> {
  if (submission.resume === true)
    throw new ServiceError('invalid', 'This cannot be simulated.', {
      faults: [{ path: 'resume', code: 'not_supported', message: 'only a new run can be tried out' }],
    });
  requirePlayable(current.rows.taskRuns.length);
  const without = await playOn(current, definitions, scheduler, ports);
  const together = await playOn(current, definitions, scheduler, ports, (engine) =>
    engine.submissions.protocolRun(submission),
  );
  const { rows } = together.store;
  const run = rows.protocolRuns.get(rows.protocolRunNames.get(submission.name) ?? '');
  const tasks = [...(rows.tasksOfRun.get(run?.id ?? '')?.values() ?? [])].flatMap(
    (id) => rows.taskRuns.get(id) ?? [],
  );
  const stuck = stuckTasks(together, rights).filter(({ task }) => task.startsWith(`${submission.name}/`));
  return {
    at: iso(current.now) ?? '',
    scheduler: scheduler.type ?? 'greedy',
    name: submission.name,
    estimated_start: iso(run?.startedAt),
    estimated_end: run?.state === 'completed' ? iso(run.endedAt) : null,
    tasks: tasks.map((task) => ({
      name: task.name,
      type: task.type,
      devices: Object.fromEntries(
        Object.entries(task.devices).map(([slot, { lab_name, name }]) => [slot, `${lab_name}.${name}`]),
      ),
      resources: Object.fromEntries(Object.entries(task.resources).map(([slot, { name }]) => [slot, name])),
      estimated_start: iso(task.startedAt),
      estimated_end: iso(task.endedAt),
    })),
    others: othersOf(current.rows, without, together),
    notes: [
      ...stuck.map(({ task, waits_for }) => `${task} would wait for ever: ${waits_for.join('; ')}`),
      ...(run?.reason === null || run?.reason === undefined ? [] : [run.reason.message]),
    ],
  };
}

function othersOf(
  { campaigns, protocolRuns, taskRuns }: WorkingRows,
  without: Laboratory,
  together: Laboratory,
): WhatIfRecord['others'] {
  const nameOf = new Map(campaigns.map(({ id, name }) => [id, name]));
  const compare = (
    kind: WhatIfRecord['others'][number]['kind'],
    { id, name }: { id: string; name: string },
    campaign: string | null,
  ): WhatIfRecord['others'][number] => {
    const table = { campaign: 'campaigns', protocol_run: 'protocolRuns', task: 'taskRuns' } as const;
    const endOf = ({ store }: Laboratory): number | null => {
      const row = store.rows[table[kind]].get(id);
      return row?.state === 'completed' ? row.endedAt : null;
    };
    const [before, after] = [endOf(without), endOf(together)];
    const delay = before === null || after === null ? null : (after - before) / 1000;
    return { kind, name, campaign, without: iso(before), with: iso(after), delay };
  };
  return [
    ...campaigns.map((row) => compare('campaign', row, null)),
    ...protocolRuns.map((row) =>
      compare('protocol_run', row, row.campaignId === null ? null : (nameOf.get(row.campaignId) ?? null)),
    ),
    ...taskRuns.filter((row) => row.runId === null).map((row) => compare('task', row, null)),
  ].slice(0, maxOthers);
}
