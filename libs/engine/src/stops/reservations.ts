import { longestReservationDays, ServiceError, unnamedPerson, type ReservationRecord } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import { type AllocationKind, type ReservationRow, allocationKey } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { refusedField } from './refused-field.js';

/** Ends the reservations whose time is over. */
const service = 'service';

const dayMs = 86_400_000;
/** A task of unknown duration does not start within this time before a reservation of its unit. */
const unknownDurationMs = 3_600_000;

/** Request to reserve a device or a resource for a time. */
interface ReservationAsked {
  lab: string;
  /** Exactly one of `device` and `resource` is not null. */
  device: string | null;
  resource: string | null;
  /** `from` and `to`: ISO 8601. */
  from: string;
  to: string;
  reason: string;
  /** The owner of the reservation. */
  by: string;
}

/** Reserves devices and resources for people. Each promise resolves after the commit. */
export class Reservations {
  constructor(
    private readonly loop: TurnLoop,
    private readonly person: (by: string) => Person,
    private readonly labs: () => LabMap,
  ) {}

  /**
   * Reserves a device or a resource: in the given time only tasks of its owner start on it. A running task continues to
   * its end. A beginning that is past means now.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`; `not_found` for an unknown resource; `invalid` for a missing
   *   reason, or a time that is none, past, empty or too far ahead; `wrong_state` when somebody has reserved it for a part
   *   of the time
   */
  add(asked: ReservationAsked): Promise<ReservationRecord> {
    return this.loop.submit('reservation', (turn) =>
      reserve(turn, this.person(asked.by), unitOf(this.labs(), asked), asked),
    );
  }

  /** Ends a reservation early. @throws ServiceError `not_found` when there is none with this id that has not ended */
  end({ id, by }: { id: string; by: string }): Promise<ReservationRecord> {
    return this.loop.submit('end of a reservation', (turn) => {
      const row = turn.state.rows.reservations.get(id);
      if (row === undefined)
        throw new ServiceError(
          'not_found',
          `There is no reservation "${id}", or it has ended. GET /api/reservations lists those that have not.`,
        );
      endReservation(turn, this.person(by), row);
      return recordOf(row);
    });
  }
}

function unitOf(labs: LabMap, asked: ReservationAsked): Pick<ReservationRow, 'kind' | 'key' | 'lab'> {
  const { lab, device, resource } = asked;
  if (device !== null && resource === null) return { kind: 'device', key: labs.demand(lab, device).key, lab };
  if (resource === null || device !== null)
    throw refusedField(
      device === null ? 'device' : 'resource',
      'one_of',
      device === null ? 'is missing' : 'is one too many',
      'name either a device or a resource',
    );
  if (!labs.labs.has(lab)) throw new ServiceError('unknown_lab', `the laboratory "${lab}" is not loaded`);
  if (labs.resources.get(resource)?.lab !== lab)
    throw new ServiceError('not_found', `the laboratory ${lab} has no resource "${resource}"`);
  return { kind: 'resource', key: resource, lab };
}

function reserve(
  turn: Turn,
  person: Person,
  unit: Pick<ReservationRow, 'kind' | 'key' | 'lab'>,
  asked: ReservationAsked,
): ReservationRecord {
  const { by, ids } = person;
  const { reason } = asked;
  if (reason.trim() === '')
    throw refusedField('reason', 'required', 'is missing', 'say why, for those who wait');
  const { fromAt, toAt } = windowOf(asked, turn.now);
  for (const other of turn.state.rows.reservations.values())
    if (other.kind === unit.kind && other.key === unit.key && fromAt < other.toAt && other.fromAt < toAt)
      throw new ServiceError(
        'wrong_state',
        `${unit.key} cannot be reserved for this time: ${wordsOfReservation(other)}. Choose another time, or end the reservation ${other.id}.`,
      );
  const row = {
    id: ids.next(),
    ...unit,
    by,
    reason,
    at: turn.now,
    fromAt,
    toAt,
    endedAt: null,
    endedBy: null,
  };
  turn.emit({ op: 'putReservation', row });
  audit(turn, person, 'reservation.add', subjectOf(row), { id: row.id, reason, ...timesOf(row) });
  return recordOf(row);
}

/** The reserved time in milliseconds since 1970. @throws ServiceError `invalid` */
function windowOf({ from, to }: ReservationAsked, now: number): Pick<ReservationRow, 'fromAt' | 'toAt'> {
  const fromAt = Math.max(Date.parse(from), now);
  const toAt = Date.parse(to);
  if (Number.isNaN(fromAt)) throw refusedField('from', 'time', 'must be a time', 'write it in ISO 8601');
  if (!(toAt > now))
    throw refusedField('to', 'past', `must be a time after ${iso(now)}`, 'reserve a time that is not over');
  if (toAt <= fromAt) throw refusedField('to', 'order', 'must be later than "from"', 'check both times');
  const latest = now + longestReservationDays * dayMs;
  if (toAt > latest)
    throw refusedField(
      'to',
      'too_far',
      `must be at most ${longestReservationDays} days from now, by ${iso(latest)}`,
      'reserve it when the time is nearer',
    );
  return { fromAt, toAt };
}

/** Ends a reservation, with an audit entry. */
function endReservation(turn: Turn, person: Person, row: ReservationRow): void {
  turn.emit({ op: 'putReservation', row: { ...row, endedAt: turn.now, endedBy: person.by } });
  const detail = { id: row.id, reserved_by: row.by, reason: row.reason, ...timesOf(row) };
  audit(turn, person, 'reservation.end', subjectOf(row), detail);
}

/** Ends the reservations whose time is over. */
export function endReservationsInTime(turn: Turn, ids: Person['ids']): void {
  for (const row of turn.state.rows.reservations.values())
    if (row.toAt <= turn.now) endReservation(turn, { by: service, ids }, row);
}

/** When the first reservation ends by itself, in milliseconds since 1970; undefined: there is none. */
export function nextReservationEnd(state: WorkingState): number | undefined {
  let next: number | undefined;
  for (const { toAt } of state.rows.reservations.values()) if (next === undefined || toAt < next) next = toAt;
  return next;
}

/** The reservations of each unit, by {@link allocationKey}. */
export function reservationsByUnit(state: WorkingState): ReadonlyMap<string, readonly ReservationRow[]> {
  const byUnit = new Map<string, ReservationRow[]>();
  for (const row of state.rows.reservations.values()) {
    const unit = allocationKey(row.kind, row.key);
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), row]);
  }
  return byUnit;
}

/**
 * Says whether a task would use the reserved unit in the reserved time if it started now, and is not a task of the person
 * who reserved it. A reservation of an unnamed person is for nobody's tasks.
 *
 * @param durationS expected seconds; null: unknown, so the task counts as one of an hour
 * @param now milliseconds since 1970
 */
export function keepsFrom(
  { by, fromAt, toAt }: ReservationRow,
  owner: string,
  durationS: number | null,
  now: number,
): boolean {
  if (by === owner && by !== unnamedPerson) return false;
  const end = now + (durationS === null ? unknownDurationMs : durationS * 1000);
  return now < toAt && (fromAt <= now || fromAt < end);
}

/** The reservations that have not ended, by their beginning. */
export function describeReservations(state: WorkingState): ReservationRecord[] {
  return [...state.rows.reservations.values()].sort((a, b) => a.fromAt - b.fromAt).map(recordOf);
}

/** Why only tasks of one person start on a unit, in words. */
export function wordsOfReservation({ by, reason, ...row }: ReservationRow): string {
  return `it is reserved by ${by} from ${iso(row.fromAt)} to ${iso(row.toAt)}: ${reason}`;
}

function recordOf(row: ReservationRow): ReservationRecord {
  const { id, kind, key, lab, by, reason, at } = row;
  return {
    ...{ id, lab, by, reason },
    device: kind === 'device' ? key.slice(lab.length + 1) : null,
    resource: kind === 'resource' ? key : null,
    ...timesOf(row),
    created_at: iso(at),
  };
}

function timesOf({ fromAt, toAt }: ReservationRow): { from: string; to: string } {
  return { from: iso(fromAt), to: iso(toAt) };
}

function subjectOf({ kind, key }: { kind: AllocationKind; key: string }): string {
  return `${kind}/${key}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
