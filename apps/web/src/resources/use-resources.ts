import type { ResourceRecord } from '@lab/api-client';
import type { LabEvent } from '@lab/web-model';
import { useCallback } from 'react';
import { client, readPages, usePages, type Pages } from '../lab/index.js';

/** What may change the data or the holder of a resource. */
const concernsHolders = ({ type }: LabEvent): boolean =>
  type.startsWith('resource.') || type.startsWith('task_run.') || type.startsWith('protocol_run.');

/**
 * Resources by name, of which a person sees more and more.
 *
 * @param lab undefined: of all laboratories
 * @param text a part of the name; empty: any name
 */
export function useResources(
  lab: string | undefined,
  text: string,
): Pages<{ items: ResourceRecord[]; next_cursor: string | null }> {
  const load = useCallback(
    (count: number, signal: AbortSignal) => {
      const filter = { ...(lab === undefined ? {} : { lab }), ...(text === '' ? {} : { text }) };
      return readPages(
        (part) => client.get('/api/resources', { query: { ...filter, ...part }, signal }),
        count,
      );
    },
    [lab, text],
  );
  return usePages(load, concernsHolders);
}
