import {
  isWaiting,
  type ListPosition,
  type QueuedTask,
  type QueueQuery,
  type QueueRecord,
} from '@lab/contracts';
import { agedPriority } from '@lab/scheduling';
import { queueState } from '../stops/index.js';
import { type Line, Overview, type OverviewPorts } from './overview.js';
import { iso, waitCauses } from './wait-causes.js';

/** Greatest length of a page of the queue, in characters of JSON, so that it fits into one message. */
const mostText = 500_000;

/** A page of the queue. */
export interface QueuePart {
  queue: QueueRecord;
  items: QueuedTask[];
  /** Position and id of its last entry; null: there are no further entries. */
  end: ListPosition | null;
}

interface Place {
  line: Line;
  position: number;
}

export function describeQueue(ports: OverviewPorts, query: QueueQuery): QueuePart {
  const { state } = ports;
  const overview = new Overview(ports, query.rights);
  const places = overview
    .lines(({ row }) => isWaiting(row.state))
    .map((line, index): Place => ({ line, position: index + 1 }))
    .filter(({ line }) => overview.sees(line.row) && isAskedFor(ports, overview, line, query));
  if (query.descending) places.reverse();
  const items: QueuedTask[] = [];
  let text = 0;
  const first = firstBehind(places, query);
  for (const place of places.slice(first, first + query.limit)) {
    const item = queuedTask(ports, overview, place);
    items.push(item);
    text += JSON.stringify(item).length;
    if (text > mostText) break;
  }
  const last = items.at(-1);
  const isAll = last === undefined || first + items.length === places.length;
  const queue = queueState(state, (task) => overview.sees(task));
  return { queue, items, end: isAll ? null : { value: last.position, id: last.id } };
}

function isAskedFor({ state }: OverviewPorts, overview: Overview, line: Line, query: QueueQuery): boolean {
  const { row } = line;
  const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
  const campaign = state.rows.campaigns.get(run?.campaignId ?? '');
  return (
    (query.owner === undefined || row.owner === query.owner) &&
    (query.protocol_run === undefined || run?.name === query.protocol_run) &&
    (query.campaign === undefined || campaign?.name === query.campaign) &&
    overview.isAbout(line, query.device, query.lab)
  );
}

/** Index of the first entry of the next page: after the last task if it waits, else at its former position. */
function firstBehind(places: readonly Place[], { after, descending }: QueueQuery): number {
  if (after === null) return 0;
  const index = places.findIndex(({ line }) => line.row.id === after.id);
  if (index >= 0) return index + 1;
  const had = Number(after.value);
  // The task that followed it has moved up into its position.
  const next = places.findIndex(({ position }) => (descending ? position < had : position >= had));
  return next < 0 ? places.length : next;
}

function queuedTask(
  { state, now }: OverviewPorts,
  { expectations, causes }: Overview,
  { line: { row }, position }: Place,
): QueuedTask {
  const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
  const since = row.queuedAt ?? row.createdAt;
  return {
    position,
    id: row.id,
    label: state.labelOf(row),
    name: row.name,
    type: row.type,
    protocol_run: run?.name ?? null,
    campaign: state.rows.campaigns.get(run?.campaignId ?? '')?.name ?? null,
    owner: row.owner,
    state: row.state,
    priority: row.priority,
    effective_priority: agedPriority(row.priority, since, now),
    waiting_since: iso(since),
    waited: Math.max(0, now - since) / 1_000,
    planned_start: iso(expectations.planned(row)?.start ?? null),
    waits_for: waitCauses(causes, row),
  };
}
