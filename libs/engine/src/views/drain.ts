import {
  isHeard,
  isTerminal,
  isWithAgent,
  type DrainedTask,
  type DrainedWork,
  type DrainRecord,
} from '@lab/contracts';
import type { ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import { hasStarted } from '../stops/index.js';
import type { OverviewPorts } from './overview.js';
import { iso } from './wait-causes.js';

/** Greatest number of runs and tasks that a record lists, so that it fits into one message. */
const mostListed = 200;

/** @param campaign name; null: all work */
export function describeDrain(ports: OverviewPorts, campaign: string | null): DrainRecord {
  const { state } = ports;
  const id = campaign === null ? null : state.rows.campaignNames.get(campaign);
  const drain = id === undefined ? undefined : state.drainOf(id);
  const runs = [...state.rows.protocolRuns.values()].filter((run) => id === null || run.campaignId === id);
  const tasks =
    campaign === null ? [...state.rows.taskRuns.values()].filter(({ runId }) => runId === null) : [];
  const unfinished = [...runs, ...tasks]
    .filter((work) => hasStarted(work) && !isTerminal(work.state))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    draining: drain !== undefined,
    campaign,
    by: drain?.by ?? null,
    since: iso(drain?.at ?? null),
    drained: unfinished.length === 0,
    unfinished_count: unfinished.length,
    unfinished: unfinished.slice(0, mostListed).map((work) => describe(ports, work)),
  };
}

function describe(ports: OverviewPorts, work: ProtocolRunRow | TaskRunRow): DrainedWork {
  const { name, state } = work;
  const isTask = 'attempt' in work;
  const tasks = isTask ? [work] : ports.state.tasksOf(work.id);
  return {
    kind: isTask ? 'task' : 'protocol_run',
    name,
    state,
    since: iso(work.startedAt),
    running: tasks.filter((task) => isWithAgent(task.state)).map((task) => runningTask(ports, task)),
  };
}

function runningTask({ state, directory }: OverviewPorts, task: TaskRunRow): DrainedTask {
  const { computer, startedAt } = task;
  const agent = computer === null ? undefined : directory.get(computer);
  const isSilent = computer !== null && (agent === undefined || !isHeard(agent.state));
  return {
    label: state.labelOf(task),
    computer,
    since: iso(startedAt),
    // A leader that has not heard the agent yet knows only that the task had started.
    silent_since: isSilent ? iso(agent?.heardAt ?? startedAt) : null,
  };
}
