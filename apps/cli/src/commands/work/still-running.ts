import {
  ProblemError,
  UnreachableError,
  type ApiClient,
  type AgentRecord,
  type TaskRunRecord,
} from '@lab/api-client';
import { atWork, type Work } from '../../watch/work.js';
import { seconds } from '../at-service.js';

/** A task of some work that runs, and the agent that runs it. */
interface Running {
  label: string;
  computer: string;
  /** Why it is not known that the task stops; null: its agent is heard. */
  unheard: string | null;
}

/** The tasks of the work that run at this moment; undefined: the service does not say. */
export async function runningTasks(client: ApiClient, work: Work): Promise<Running[] | undefined> {
  try {
    return await readRunning(client, work);
  } catch (error) {
    // The act itself was done, whatever became of this question.
    if (error instanceof ProblemError || error instanceof UnreachableError) return undefined;
    throw error;
  }
}

async function readRunning(client: ApiClient, work: Work): Promise<Running[]> {
  const running = await tasksOf(client, work);
  if (running.length === 0) return [];
  const agents: AgentRecord[] = await client.all('/api/agents', {});
  return running.map(({ name, protocol_run: run, computer }) => {
    const agent = agents.find((each) => each.computer === computer);
    const isHeard = agent?.state === 'online' || agent?.state === 'draining';
    return {
      label: run === null ? name : `${run}/${name}`,
      computer: computer ?? 'unknown',
      unheard: isHeard ? null : `not heard since ${seconds(agent?.last_heard_at ?? null)}`,
    };
  });
}

/** What runs after a cancel, in words: a task is stopped only when its agent says so. */
export function afterCancel(running: readonly Running[] | undefined): string[] {
  if (running === undefined)
    return ['NOT CONFIRMED: the service does not say at present which tasks still run.'];
  return running.map(({ label, computer, unheard }) =>
    unheard === null
      ? `${label} still runs on ${computer} and was asked to stop`
      : `NOT CONFIRMED: ${label} may go on. Computer ${computer} is ${unheard}, and gets the request when it is heard again.`,
  );
}

/** What runs after a pause, in words. */
export function afterPause(running: readonly Running[] | undefined): string[] {
  if (running === undefined) return ['the service does not say at present which tasks still run'];
  return running.map(
    ({ label, computer, unheard }) =>
      `${label} goes on to its end on ${computer}${unheard === null ? '' : `, which is ${unheard}`}`,
  );
}

async function tasksOf(client: ApiClient, work: Work): Promise<TaskRunRecord[]> {
  if (work.kind === 'task') {
    const task = await atWork<TaskRunRecord>(client, 'get', work, '');
    return task.state === 'running' ? [task] : [];
  }
  const of = work.kind === 'campaign' ? { campaign: work.name } : { protocol_run: work.name };
  return client.all('/api/tasks', { query: { ...of, state: 'running' } });
}
