import type { AttentionRecord, AttentionResolution, TaskRunRecord } from '@lab/api-client';
import { fieldsOf, isObject, type Field, type Value } from '@lab/web-model';
import { useEffect, useMemo, useState } from 'react';
import { client, reasonOf } from '../lab/index.js';

type Body = Pick<AttentionResolution, 'output_parameters' | 'output_resources'>;

/** What a person gives as the outputs of a task that has completed. */
export interface Outputs {
  /**
   * A field for each declared output, named by the path of the value in the request, which begins with `output_parameters.` or
   * `output_resources.`. Where the declarations cannot be read, one field for all parameters and one for all resources.
   */
  fields: readonly Field[];
  /** Why the declarations cannot be read, in a sentence. */
  unread: string | undefined;
  /** The outputs as the request takes them, from the values of the fields. */
  bodyOf(values: Record<string, Value>): Body;
}

const parameters = 'output_parameters';
const resources = 'output_resources';
const none: Outputs = { fields: [], unread: undefined, bodyOf: () => ({}) };

/**
 * The outputs that the task in question declares. The service checks them against the version of the task type that the task was
 * accepted with, which may be an older one.
 *
 * @returns undefined while the declarations are read
 */
export function useOutputs({ task, protocol_run: run, actions }: AttentionRecord): Outputs | undefined {
  const [read, setRead] = useState<Outputs>();
  const name = actions.includes('completed') ? task : null;
  useEffect(() => {
    if (name === null) return;
    const end = new AbortController();
    declared(name, run, end.signal).then(setRead, (error: unknown) => {
      if (!end.signal.aborted) setRead(asWhole(reasonOf(error)));
    });
    return () => end.abort();
  }, [name, run]);
  return useMemo(() => (name === null ? none : read), [name, read]);
}

/** One field for all parameters, and one for all resources. */
function asWhole(unread: string): Outputs {
  const any = { type: 'dict', optional: true };
  return {
    ...{ fields: fieldsOf({ [parameters]: any, [resources]: any }) ?? [], unread },
    bodyOf: (values) => values as Body,
  };
}

/** @throws as the client does; Error for a declaration that the page does not understand */
async function declared(name: string, run: string | null, signal: AbortSignal): Promise<Outputs> {
  const query = run === null ? {} : { protocol_run_name: run };
  const task = await client.get('/api/tasks/{task_name}', { path: { task_name: name }, query, signal });
  const path = { type: 'task', name: task.type };
  const { definition } = await client.get('/api/definitions/{type}/{name}', { path, signal });
  const fields = definition === null ? undefined : fieldsOf(definition[parameters]);
  const slots = definition === null ? undefined : slotsOf(definition[resources] ?? {}, task);
  if (fields === undefined || slots === undefined)
    throw new Error(`The definition of ${task.type} has mistakes.`);
  return {
    unread: undefined,
    fields: [
      ...fields.map((field) => ({ ...field, name: `${parameters}.${field.name}` })),
      ...slots.flatMap((slot) => slot.fields),
    ],
    bodyOf: (values) => ({
      [parameters]: Object.fromEntries(
        fields.flatMap(({ name: own }) => {
          const value = values[`${parameters}.${own}`];
          return value === undefined ? [] : [[own, value]];
        }),
      ),
      ...(slots.length === 0
        ? {}
        : { [resources]: Object.fromEntries(slots.flatMap((slot) => slot.read(values))) }),
    }),
  };
}

type Resource = TaskRunRecord['input_resources'][string];

/** A declared output resource of a task. */
interface OutputSlot {
  fields: readonly Field[];
  /** The resource under the name of its slot; none: it is as the task got it. */
  read(values: Record<string, Value>): [slot: string, resource: Resource][];
}

/** @returns undefined for something that is no object of declarations */
function slotsOf(declarations: unknown, { input_resources: taken }: TaskRunRecord): OutputSlot[] | undefined {
  if (!isObject(declarations)) return undefined;
  return Object.entries(declarations).map(([slot, declaration]) => {
    const type = isObject(declaration) && typeof declaration['type'] === 'string' ? declaration['type'] : '';
    const own = taken[slot];
    return own === undefined ? newSlot(slot, type, Object.values(taken)) : keptSlot(slot, own);
  });
}

/** The task passes on the resource that it got in the slot of the same name. An empty field leaves its data as they were. */
function keptSlot(slot: string, { name, type, meta }: Resource): OutputSlot {
  const field = `${resources}.${slot}`;
  return {
    fields: fieldsOf({ [field]: { type: 'dict', value: meta, desc: `${name} (${type})` } }) ?? [],
    read(values) {
      const given = values[field];
      return given === undefined ? [] : [[slot, { name, type, meta: given as Resource['meta'] }]];
    },
  };
}

/** The slot has no input of its name, so the person also says which of the resources of the task is in it. */
function newSlot(slot: string, type: string, taken: readonly Resource[]): OutputSlot {
  const [field, data] = [`${resources}.${slot}`, `${resources}.${slot}.meta`];
  const choices = taken.filter((each) => each.type === type).map(({ name }) => name);
  return {
    fields:
      fieldsOf({ [field]: { type: 'choice', choices, desc: type }, [data]: { type: 'dict', desc: type } }) ??
      [],
    read: (values) => [[slot, { name: String(values[field]), type, meta: values[data] as Resource['meta'] }]],
  };
}
