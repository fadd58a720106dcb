import type { QueuePage, WaitCause } from '@lab/api-client';
import { client, readPages, readSeen } from '../lab/index.js';

/** How many waiting tasks are read. */
const most = 2_000;

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
  const query = run === undefined ? {} : { protocol_run: run };
  const waiting = await readSeen(
    labs,
    async (lab) => {
      const { items } = await readPages(
        (part): Promise<QueuePage> =>
          client.get('/api/queue', { query: { ...lab, ...query, ...part }, signal }),
        most,
      );
      return items;
    },
    ({ id }) => id,
  );
  return new Map(waiting.map(({ id, waits_for }) => [id, waits_for]));
}
