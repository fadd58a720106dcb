import type { ScheduledTask } from '@lab/api-client';
import { client, isForbidden } from '../lab/index.js';

/** How many tasks are read: the running ones and those that come next. */
const most = 100;

/**
 * The tasks that run or wait, in their order.
 *
 * @param part of the laboratory that they are about. A task that uses no device is about no laboratory
 * @returns undefined: the person may not read this part
 * @throws as the client does
 */
export async function readTasks(
  part: { lab?: string; device?: string },
  signal: AbortSignal,
): Promise<ScheduledTask[] | undefined> {
  try {
    const { tasks } = await client.get('/api/schedule', { query: { ...part, limit: most }, signal });
    return tasks.filter(({ ended_at: end }) => end === null);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
