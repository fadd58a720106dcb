import { ServiceError } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import { type OutageRow, drainKey, drainedComputer, rolloutDrainKey } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { refusedField } from './refused-field.js';

/** Puts devices back into service whose time out of service is over, and acts for rollouts. */
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

/** A computer, and the person who acts on it. */
interface ComputerAsked {
  computer: string;
  /** For the audit. */
  by: string;
}

/** Takes devices out of service and puts them back, also all devices of a computer. Each promise resolves after the commit. */
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
      return begin(turn, this.person(asked.by), ofDevice(key), asked);
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

  /**
   * Drains a computer: no task starts that needs one of its devices, or that would run on it. Running tasks continue to their
   * end. A repeated request replaces person, reason and time.
   *
   * @throws ServiceError `not_found` when nobody knows the computer; `invalid` as {@link disable}
   */
  drain(asked: ComputerAsked & Pick<OutageAsked, 'reason' | 'until'>): Promise<Record<string, never>> {
    return this.loop.submit('drain of a computer', (turn) => {
      this.#demandComputer(turn.state, asked.computer);
      return begin(turn, this.person(asked.by), ofComputer(asked.computer), asked);
    });
  }

  /** Ends the drain of a computer by a person; that of a rollout stays. Idempotent. @throws ServiceError `not_found` when nobody knows the computer */
  resume({ computer, by }: ComputerAsked): Promise<Record<string, never>> {
    return this.loop.submit('end of the drain of a computer', (turn) => {
      const row = drainOfPerson(turn.state, computer);
      if (row === undefined) this.#demandComputer(turn.state, computer);
      else endOutage(turn, this.person(by), row);
      return {};
    });
  }

  #demandComputer({ rows }: WorkingState, computer: string): void {
    const { computers } = this.labs();
    if (computers.has(computer) || rows.agents.has(computer)) return;
    const names = [...computers].sort().join(', ');
    throw new ServiceError('not_found', `no laboratory names a computer "${computer}" (known: ${names})`);
  }
}

/** What an outage is of: the key of its row, and how the audit names it. */
interface Subject {
  key: string;
  begin: string;
  end: string;
  target: string;
}

const ofDevice = (key: string): Subject => ({
  ...{ key, target: `device/${key}` },
  ...{ begin: 'device.disable', end: 'device.enable' },
});

const ofComputer = (computer: string): Subject => ({
  ...{ key: drainKey(computer), target: `computer/${computer}` },
  ...{ begin: 'computer.drain', end: 'computer.resume' },
});

/** The drain of a computer, by a person or else by a rollout; undefined: nobody drains it. */
export function drainOfComputer({ rows }: WorkingState, computer: string): OutageRow | undefined {
  // The usual case, which is asked for each device.
  if (rows.outages.size === 0) return undefined;
  return rows.outages.get(drainKey(computer)) ?? rows.outages.get(rolloutDrainKey(computer));
}

/** The drain of a computer by a person; undefined: no person drains it. */
export function drainOfPerson({ rows }: WorkingState, computer: string): OutageRow | undefined {
  return rows.outages.get(drainKey(computer));
}

/** Drains a computer for a rollout. @param by who started the rollout */
export function drainForRollout(
  turn: Turn,
  ids: Person['ids'],
  computer: string,
  { by, reason }: Pick<OutageRow, 'by' | 'reason'>,
): void {
  const device = rolloutDrainKey(computer);
  const row = { device, by, reason, at: turn.now, until: null, endedAt: null, endedBy: null };
  turn.emit({ op: 'putOutage', row });
  audit(turn, { by: service, ids }, 'computer.drain', `computer/${computer}`, { reason, until: null });
}

/** Ends the drain of a computer by a rollout, if there is one. */
export function endDrainOfRollout(turn: Turn, ids: Person['ids'], computer: string): void {
  const row = turn.state.rows.outages.get(rolloutDrainKey(computer));
  if (row !== undefined) endOutage(turn, { by: service, ids }, row);
}

/** Why a device is out of service: its own outage, or the drain of its computer; undefined: it is in service. */
export function outageOver(
  state: WorkingState,
  { key, computer }: { key: string; computer: string },
): OutageRow | undefined {
  return state.rows.outages.get(key) ?? drainOfComputer(state, computer);
}

function begin(
  turn: Turn,
  person: Person,
  { key, begin: action, target }: Subject,
  { reason, until: text }: Pick<OutageAsked, 'reason' | 'until'>,
): Record<string, never> {
  if (reason.trim() === '')
    throw refusedField('reason', 'required', 'is missing', 'say why, for those who wait');
  const until = text === null ? null : Date.parse(text);
  if (until !== null && !(until > turn.now)) {
    const now = new Date(turn.now).toISOString();
    throw refusedField('until', 'past', `must be a time after ${now}`, 'leave it out to wait for a person');
  }
  const { by } = person;
  const row = { device: key, by, reason, at: turn.now, until, endedAt: null, endedBy: null };
  turn.emit({ op: 'putOutage', row });
  audit(turn, person, action, target, { reason, until: text });
  return {};
}

/** Ends an outage, with an audit entry. */
function endOutage(turn: Turn, { by, ids }: Person, row: OutageRow): void {
  turn.emit({ op: 'putOutage', row: { ...row, endedAt: turn.now, endedBy: by } });
  const computer = drainedComputer(row);
  const { end, target } = computer === undefined ? ofDevice(row.device) : ofComputer(computer);
  audit(turn, { by, ids }, end, target, {
    [computer === undefined ? 'disabled_by' : 'drained_by']: row.by,
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
export function wordsOfOutage({ by, reason, until, device }: OutageRow): string {
  const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
  const computer = drainedComputer({ device });
  return computer === undefined
    ? `it is taken out of service by ${by}${end}: ${reason}`
    : `its computer ${computer} is drained by ${by}${end}: ${reason}`;
}
