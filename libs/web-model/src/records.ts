import type {
  AgentRecord,
  AttentionRecord,
  CampaignSummary,
  DeviceRecord,
  EmergencyStopRecord,
  ProtocolRunSummary,
  QueueRecord,
} from '@lab/api-client';

/** What the page keeps of the service: lists of the interface, which events bring up to date. */
export interface Records {
  devices: readonly DeviceRecord[];
  /** Open items only. */
  attention: readonly AttentionRecord[];
  /** Emergency stops in force only. */
  stops: readonly EmergencyStopRecord[];
  /** Campaigns that have not ended. */
  campaigns: readonly CampaignSummary[];
  /** Protocol runs that have not ended and belong to no campaign. */
  runs: readonly ProtocolRunSummary[];
  agents: readonly AgentRecord[];
  queue: QueueRecord | undefined;
}
export type RecordList = keyof Records;

export const noRecords: Records = {
  ...{ devices: [], attention: [], stops: [], campaigns: [], runs: [], agents: [] },
  queue: undefined,
};

/** An event of the service, as `GET /api/events` gives it. */
export interface LabEvent {
  id: number;
  /** Kind of the record and what happened, for example `device.idle`. */
  type: string;
  /** ISO 8601. */
  at: string;
  body: Readonly<Record<string, unknown>>;
}

/** Reads the text of an event. @returns undefined for a text that is no event of a known form */
export function readEvent(text: string): LabEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, type, at, body } = value as Record<string, unknown>;
  if (typeof id !== 'number' || typeof type !== 'string' || typeof at !== 'string') return undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  return { id, type, at, body: body as Record<string, unknown> };
}

/** Lists that an event of each kind makes out of date. */
const touched: Readonly<Record<string, readonly RecordList[]>> = {
  device: ['devices'],
  attention: ['attention'],
  // A pause and a drain of the queue are halts as well.
  halt: ['stops', 'queue', 'devices'],
  campaign: ['campaigns'],
  protocol_run: ['campaigns', 'runs'],
  task_run: ['queue'],
  agent: ['agents'],
  lab: ['devices', 'agents'],
};

/**
 * Shortest time between two readings of a list, in milliseconds, while events bring the states that it shows. Other changes, such
 * as a stop, are read after {@link soonMs}.
 */
const rereadMs: Readonly<Record<RecordList, number>> = {
  ...{ attention: 250, stops: 250, runs: 1_000, agents: 1_000, queue: 2_000, devices: 2_000 },
  campaigns: 3_000,
};

const soonMs = 250;

export interface Heard {
  records: Records;
  /**
   * Lists that must be read again, because events do not tell everything that they show, with the shortest time since the last
   * reading, in milliseconds.
   */
  stale: ReadonlyMap<RecordList, number>;
}

/**
 * Brings records up to date with events.
 *
 * @param events oldest first
 */
export function hear(records: Records, events: readonly LabEvent[]): Heard {
  const stale = new Map<RecordList, number>();
  const devices = new Map<string, Partial<DeviceRecord>>();
  const campaigns = new Map<string, Partial<CampaignSummary>>();
  for (const { type, body } of events) {
    const [kind = ''] = type.split('.');
    for (const list of touched[kind] ?? []) {
      const ms = kind === 'halt' || body['state'] === undefined ? soonMs : rereadMs[list];
      stale.set(list, Math.min(ms, stale.get(list) ?? Infinity));
    }
    if (kind === 'device')
      devices.set(
        `${String(body['lab'])}.${String(body['name'])}`,
        pick(body, ['state', 'detail', 'halted']),
      );
    if (kind === 'campaign')
      campaigns.set(String(body['id']), pick(body, ['state', 'reason', 'protocol_runs_completed']));
  }
  // The same records when nothing changes, so that nothing is drawn again.
  if (devices.size === 0 && campaigns.size === 0) return { records, stale };
  return {
    records: {
      ...records,
      devices: patched(records.devices, devices, ({ lab_name: lab, name }) => `${lab}.${name}`),
      campaigns:
        campaigns.size === 0
          ? records.campaigns
          : patched(records.campaigns, campaigns, ({ id }) => id).filter(({ state }) => !isOver(state)),
    },
    stale,
  };
}

const over = ['completed', 'failed', 'cancelled'];

/** Whether work in this state goes on no more. */
export const isOver = (state: string): boolean => over.includes(state);

function pick<T>(body: LabEvent['body'], fields: readonly (keyof T & string)[]): Partial<T> {
  return Object.fromEntries(
    fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
  ) as Partial<T>;
}

/** @returns the same list when nothing in it changes */
function patched<T>(
  items: readonly T[],
  changes: ReadonlyMap<string, Partial<T>>,
  keyOf: (item: T) => string,
): readonly T[] {
  if (changes.size === 0) return items;
  return items.map((item) => {
    const change = changes.get(keyOf(item));
    return change === undefined ? item : { ...item, ...change };
  });
}
