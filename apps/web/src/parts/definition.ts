import type { DefinitionRecord } from '@lab/api-client';
import { useEffect, useState } from 'react';
import { client } from '../lab/index.js';

/**
 * Reads a definition.
 *
 * @param name undefined: none is needed
 * @returns undefined while it is read; null: it does not exist, or may not be read
 */
export function useDefinition(
  type: 'task' | 'protocol' | 'lab',
  name: string | undefined,
): DefinitionRecord | null | undefined {
  const [found, setFound] = useState<DefinitionRecord | null>();
  useEffect(() => {
    if (name === undefined) return undefined;
    const end = new AbortController();
    client
      .get('/api/definitions/{type}/{name}', { path: { type, name }, signal: end.signal })
      .then(setFound, () => {
        if (!end.signal.aborted) setFound(null);
      });
    return () => end.abort();
  }, [type, name]);
  return found;
}
