import type { WaitCause } from '@lab/api-client';
import { client, readSeen } from '../lab/index.js';

/** How many waiting tasks of a run are read. */
const most = 100;

/**
 * Why tasks wait, by the id of the task.
 *
 * @param labs as of `labsSeen`
 * @param run undefined: the waiting tasks on demand and of all runs
 */
export async function waitsOf(
  labs: readonly string[] | undefined,
  run: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, WaitCause[]>> {
  const query = run === undefined ? { limit: most } : { protocol_run: run, limit: most };
  const waiting = await readSeen(
    labs,
    async (lab) => (await client.get('/api/queue', { query: { ...lab, ...query }, signal })).items,
    ({ id }) => id,
  );
  return new Map(waiting.map(({ id, waits_for }) => [id, waits_for]));
}
