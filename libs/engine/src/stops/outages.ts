import type { LabMap } from '../labs/index.js';
import type { OutageRow } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { refusedField } from './refused-field.js';

/** Puts devices back into service whose time out of service is over. */
const service = 'service';

/** A device, and the person who acts on it. */
interface DeviceAsked {
  lab: string;
  device: string;
  /** For the audit. */
  by: string;
}

/** Request to take a device out of service. */
interface OutageAsked extends DeviceAsked {
  reason: string;
  /** ISO 8601; null: until a person puts the device back. */
  until: string | null;
}

/** Takes devices out of service and puts them back. Each promise resolves after the commit. */
export class Outages {
  constructor(
    private readonly loop: TurnLoop,
    private readonly person: (by: string) => Person,
    private readonly labs: () => LabMap,
  ) {}

  /**
   * Takes a device out of service: no task starts on it until its time is over or a person puts it back. A running task
   * continues to its end. A repeated request replaces person, reason and time.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`; `invalid` when the reason is missing, or the time is no time or is past
   */
  disable(asked: OutageAsked): Promise<Record<string, never>> {
    return this.loop.submit('outage of a device', (turn) => {
      const { key } = this.labs().demand(asked.lab, asked.device);
      return disable(turn, this.person(asked.by), key, asked);
    });
  }

  /** Puts a device back into service. Idempotent. @throws ServiceError `unknown_lab`, `unknown_device` */
  enable({ lab, device, by }: DeviceAsked): Promise<Record<string, never>> {
    return this.loop.submit('end of an outage of a device', (turn) => {
      const { key } = this.labs().demand(lab, device);
      const row = turn.state.rows.outages.get(key);
      if (row !== undefined) endOutage(turn, this.person(by), row);
      return {};
    });
  }
}

function disable(
  turn: Turn,
  person: Person,
  device: string,
  { reason, until: text }: OutageAsked,
): Record<string, never> {
  if (reason.trim() === '')
    throw refusedField('reason', 'required', 'is missing', 'say why, for those who wait');
  const until = text === null ? null : Date.parse(text);
  if (until !== null && !(until > turn.now)) {
    const now = new Date(turn.now).toISOString();
    throw refusedField('until', 'past', `must be a time after ${now}`, 'leave it out to wait for a person');
  }
  const { by } = person;
  const row = { device, by, reason, at: turn.now, until, endedAt: null, endedBy: null };
  turn.emit({ op: 'putOutage', row });
  audit(turn, person, 'device.disable', `device/${device}`, { reason, until: text });
  return {};
}

/** Ends an outage, with an audit entry. */
function endOutage(turn: Turn, { by, ids }: Person, row: OutageRow): void {
  turn.emit({ op: 'putOutage', row: { ...row, endedAt: turn.now, endedBy: by } });
  audit(turn, { by, ids }, 'device.enable', `device/${row.device}`, {
    disabled_by: row.by,
    reason: row.reason,
  });
}

/** Ends the outages whose time is over. */
export function endOutagesInTime(turn: Turn, ids: Person['ids']): void {
  for (const row of turn.state.rows.outages.values())
    if (row.until !== null && row.until <= turn.now) endOutage(turn, { by: service, ids }, row);
}

/** When the first outage ends by itself, in milliseconds since 1970; undefined: none does. */
export function nextOutageEnd(state: WorkingState): number | undefined {
  let next: number | undefined;
  for (const { until } of state.rows.outages.values())
    if (until !== null && (next === undefined || until < next)) next = until;
  return next;
}

/** Why no task gets a device that is out of service, in words. */
export function wordsOfOutage({ by, reason, until }: OutageRow): string {
  const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
  return `it is taken out of service by ${by}${end}: ${reason}`;
}
