import {
  dynamicFieldsOf,
  dynamicParametersOf,
  fieldOf,
  taskFormOf,
  type Field,
  type Slot,
  type WorkKind,
} from '@lab/web-model';
import { useEffect, useState } from 'react';
import { client, reasonOf } from '../lab/index.js';

/** What a submission of a type consists of. */
export interface Declared {
  /** Of a task the names of its parameters, else `TASK.PARAMETER`. */
  fields: readonly Field[];
  devices: readonly Slot[];
  resources: readonly Slot[];
  hasOptimizer: boolean;
  /** What the type is for; empty: its definition does not say. */
  desc: string;
}

/** Reads the definitions of a type. @returns a sentence when they cannot be read; undefined while they are read */
export function useDeclared(kind: WorkKind, type: string): Declared | string | undefined {
  const [found, setFound] = useState<Declared | string>();
  useEffect(() => {
    const end = new AbortController();
    read(kind, type, end.signal).then(
      (declared) => setFound(declared),
      (error: unknown) => {
        if (!end.signal.aborted) setFound(reasonOf(error));
      },
    );
    return () => end.abort();
  }, [kind, type]);
  return found;
}

async function read(kind: WorkKind, name: string, signal: AbortSignal): Promise<Declared> {
  const definition = async (type: string, each: string): Promise<unknown> => {
    const path = { type, name: each };
    return (await client.get('/api/definitions/{type}/{name}', { path, signal })).definition;
  };
  if (kind === 'task') {
    const task = await definition('task', name);
    const form = taskFormOf(task);
    if (form === undefined) throw new Error(`The definition of ${name} has mistakes.`);
    return { ...form, hasOptimizer: false, desc: descOf(task) };
  }
  const protocol = await definition('protocol', name);
  const types = [...new Set(dynamicParametersOf(protocol).map(({ type }) => type))];
  const tasks = await Promise.all(types.map((type) => definition('task', type)));
  return {
    fields: dynamicFieldsOf(protocol, new Map(types.map((type, at) => [type, tasks[at]])), kind === 'run'),
    ...{ devices: [], resources: [], desc: descOf(protocol) },
    hasOptimizer: (fieldOf(protocol, 'optimizer') ?? null) !== null,
  };
}

function descOf(definition: unknown): string {
  const desc = fieldOf(definition, 'desc');
  return typeof desc === 'string' ? desc : '';
}
