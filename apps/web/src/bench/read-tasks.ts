import type { ScheduledTask } from '@lab/api-client';
import { client } from '../lab/index.js';

/** How many tasks are read: the running ones and those that come next. */
const most = 100;

/**
 * The tasks that run or wait, in their order.
 *
 * @param part of the tasks, as the schedule takes it
 * @throws as the client does
 */
export async function readTasks(
  part: { lab?: string; device?: string },
  signal: AbortSignal,
): Promise<ScheduledTask[]> {
  const { tasks } = await client.get('/api/schedule', { query: { ...part, limit: most }, signal });
  return tasks.filter(({ ended_at: end }) => end === null);
}
