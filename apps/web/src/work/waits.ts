import type { WaitCause } from '@lab/api-client';
import { client, isForbidden } from '../lab/index.js';

/** How many waiting tasks of a run are read. */
const most = 100;

/**
 * Why tasks wait, by the id of the task. A role for one laboratory may not read the queue; nothing is known then.
 *
 * @param run undefined: the waiting tasks on demand and of all runs
 */
export async function waitsOf(
  run: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, WaitCause[]>> {
  const query = run === undefined ? { limit: most } : { protocol_run: run, limit: most };
  const { items } = await client.get('/api/queue', { query, signal }).catch((error: unknown) => {
    if (isForbidden(error)) return { items: [] };
    throw error;
  });
  return new Map(items.map(({ id, waits_for }) => [id, waits_for]));
}
