import { eventKindOf, type JsonObject, type ServiceEvent, type WebhookInclusion } from '@lab/contracts';
import type { WorkDetail, WorkDetailName } from '@lab/persistence';
import { withSecretsHidden } from '@lab/runtime';
import type { RecordReader } from '../ports/index.js';

/** Size of an added value at most, in bytes of JSON. */
const mostBytes = 16 * 1024;

/** Where a client reads the values that an event has no room for. */
const addresses: Readonly<Record<string, (body: JsonObject, id: string) => string>> = {
  task_run: (_body, id) => `/api/task-runs/${id}`,
  protocol_run: ({ name }) => `/api/protocols/${encodeURIComponent(String(name))}`,
  campaign: ({ name }) => `/api/campaigns/${encodeURIComponent(String(name))}`,
};

const hasOutputs = new Set([
  'task_run.completed',
  'protocol_run.completed',
  'protocol_run.failed',
  'protocol_run.cancelled',
]);

/**
 * Adds details of work to the bodies of its events: `meta`, and at the end of a task or run `output_parameters`. Secrets
 * in them are masked. `left_out` names the values that are too large, with the address where a client can read them.
 *
 * @throws ServiceError `store_unavailable`
 */
export async function withDetails(
  events: readonly ServiceEvent[],
  include: readonly WebhookInclusion[],
  records: Pick<RecordReader, 'workDetails'>,
): Promise<readonly ServiceEvent[]> {
  const names = events.flatMap((event) => detailsOf(event, include));
  if (names.length === 0) return events;
  const found = new Map<string, WorkDetail>();
  for (const detail of await records.workDetails(names, mostBytes)) found.set(keyOf(detail), detail);
  return events.map((event) => {
    const details = detailsOf(event, include).flatMap((name) => found.get(keyOf(name)) ?? []);
    return details.length === 0 ? event : { ...event, body: { ...event.body, ...fieldsOf(event, details) } };
  });
}

/** The details that belong into an event. */
function detailsOf(
  { type, aggregate }: ServiceEvent,
  include: readonly WebhookInclusion[],
): WorkDetailName[] {
  const names: WorkDetailName[] = [];
  if (include.includes('meta') && Object.hasOwn(addresses, eventKindOf(aggregate)))
    names.push({ aggregate, field: 'meta' });
  if (include.includes('outputs') && hasOutputs.has(type))
    names.push({ aggregate, field: 'output_parameters' });
  return names;
}

function keyOf({ aggregate, field }: WorkDetailName): string {
  return `${field} of ${aggregate}`;
}

function fieldsOf({ aggregate, body }: ServiceEvent, details: readonly WorkDetail[]): JsonObject {
  const kind = eventKindOf(aggregate);
  const address = addresses[kind]?.(body, aggregate.slice(kind.length + 1)) ?? '';
  const fields: JsonObject = {};
  const leftOut: JsonObject = {};
  for (const { field, value } of details)
    if (value === null) leftOut[field] = address;
    else fields[field] = withSecretsHidden(value);
  return Object.keys(leftOut).length === 0 ? fields : { ...fields, left_out: leftOut };
}
