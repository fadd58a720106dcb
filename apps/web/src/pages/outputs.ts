import type { AttentionRecord } from '@lab/api-client';
import { fieldsOf, type Field, type Value } from '@lab/web-model';
import { useEffect, useMemo, useState } from 'react';
import { client, reasonOf } from '../lab/index.js';

/** What a person gives as the outputs of a task that has completed. */
export interface Outputs {
  /** A field for each declared output. Where the declaration cannot be read, one for all outputs. */
  fields: readonly Field[];
  /** Path of the values in the body of the request; empty: the body itself. */
  path: string;
  /** Why the declaration cannot be read, in a sentence. */
  unread: string | undefined;
  /** The outputs, from the values of the fields. */
  parametersOf(values: Record<string, Value>): Record<string, Value>;
}

const all = 'output_parameters';
const none: Outputs = {
  ...{ fields: [], path: all, unread: undefined },
  parametersOf: (values) => values,
};

/**
 * The outputs that the task in question declares. The service checks them against the version of the task type that the task was
 * accepted with, which may be an older one.
 *
 * @returns undefined while the declaration is read
 */
export function useOutputs({ task, protocol_run: run, actions }: AttentionRecord): Outputs | undefined {
  const [read, setRead] = useState<Outputs>();
  const name = actions.includes('completed') ? task : null;
  useEffect(() => {
    if (name === null) return;
    const end = new AbortController();
    declared(name, run, end.signal).then(
      (fields) => setRead({ ...none, fields }),
      (error: unknown) => {
        if (!end.signal.aborted) setRead(asOne(reasonOf(error)));
      },
    );
    return () => end.abort();
  }, [name, run]);
  return useMemo(() => (name === null ? none : read), [name, read]);
}

/** One field for all outputs. Its faults stand in the request at the field itself. */
function asOne(unread: string): Outputs {
  return {
    ...{ fields: fieldsOf({ [all]: { type: 'dict', optional: true } }) ?? [], path: '', unread },
    parametersOf: (values) => (values[all] ?? {}) as Record<string, Value>,
  };
}

/** @throws as the client does; Error for a declaration that the page does not understand */
async function declared(task: string, run: string | null, signal: AbortSignal): Promise<Field[]> {
  const query = run === null ? {} : { protocol_run_name: run };
  const { type } = await client.get('/api/tasks/{task_name}', { path: { task_name: task }, query, signal });
  const path = { type: 'task', name: type };
  const { definition } = await client.get('/api/definitions/{type}/{name}', { path, signal });
  const fields = definition === null ? undefined : fieldsOf(definition['output_parameters']);
  if (fields === undefined) throw new Error(`The definition of ${type} has mistakes.`);
  return fields;
}
