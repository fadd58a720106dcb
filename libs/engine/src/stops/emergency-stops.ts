import { awaitsAgent, emergencyStopCovers, ServiceError, type EmergencyStop } from '@lab/contracts';
import type { Ids } from '@lab/ports';
import type { LabMap } from '../labs/index.js';
import { type AttemptRow, type EmergencyStopRow, conflict } from '../rows/index.js';
import { type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';

/** A device as stops and attempts name it. */
interface Named {
  lab: string;
  name: string;
}

export interface StopPorts {
  ids: Ids;
  labs: () => LabMap;
}

/** Greatest number of released stops that agents are informed of. */
const mostReleased = 100;

/** Requests of people about emergency stops. Each promise resolves after the commit. */
export class EmergencyStops {
  constructor(
    private readonly loop: TurnLoop,
    private readonly state: WorkingState,
    private readonly ports: StopPorts,
  ) {}

  /**
   * Stops all attempts in the scope and lets nothing start there; a person decides about their tasks. A repeated id
   * refers to the same stop.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`, `bad_request`
   */
  engage(stop: EmergencyStop): Promise<{ id: string }> {
    return this.loop.submit('emergency stop', (turn) => engageStop(turn, this.ports, stop));
  }

  /** Records an emergency stop that was broadcast to all agents, in case its sender cannot request it here. */
  heard(stop: EmergencyStop): void {
    this.loop.enqueue('emergency stop heard', (turn) => adoptStops(turn, this.ports, [stop], 'event'));
  }

  /** Ends one emergency stop, or all of them if `id` is null. @throws ServiceError `not_found`, `wrong_state` */
  release(id: string | null, by: string): Promise<{ ids: string[] }> {
    return this.loop.submit('release of an emergency stop', (turn) => releaseStop(turn, this.ports, id, by));
  }

  /** The emergency stops in force and the ids of the latest released ones, as agents are informed of them. */
  known(): { halts: EmergencyStop[]; released: string[] } {
    return knownStops(this.state);
  }
}

/** As {@link EmergencyStops.engage}. An id that is known changes nothing, also after its release. */
function engageStop(turn: Turn, ports: StopPorts, stop: EmergencyStop): { id: string } {
  if (turn.state.rows.emergencyStops.has(stop.id)) return { id: stop.id };
  const fault = faultOf(ports.labs(), stop.scope);
  if (fault !== undefined) throw fault;
  record(turn, ports, stop, {});
  return { id: stop.id };
}

/**
 * Records emergency stops that an agent reports and the engine does not know: their sender may have reached the agents
 * only. A stop whose scope is not loaded has no effect here; it is recorded once the scope is loaded.
 */
export function adoptStops(
  turn: Turn,
  ports: StopPorts,
  stops: readonly EmergencyStop[],
  toldBy: string,
): void {
  for (const stop of stops) {
    if (!turn.state.rows.emergencyStops.has(stop.id) && faultOf(ports.labs(), stop.scope) === undefined)
      record(turn, ports, stop, { told_by: toldBy });
  }
}

/**
 * Stopped work does not continue by itself.
 *
 * @param id null: all stops in force
 * @returns the ids of the released stops
 * @throws ServiceError `not_found`; `wrong_state` when the stop was released before
 */
function releaseStop(turn: Turn, ports: StopPorts, id: string | null, by: string): { ids: string[] } {
  const known = id === null ? undefined : turn.state.rows.emergencyStops.get(id);
  if (id !== null && known === undefined)
    throw new ServiceError('not_found', `there is no emergency stop "${id}"`);
  if (known !== undefined && known.releasedAt !== null)
    throw conflict(`the emergency stop "${id}" was released already`);
  const rows = known === undefined ? stopsInForce(turn.state) : [known];
  for (const row of rows) {
    const released = { ...row, releasedAt: turn.now, releasedBy: by };
    turn.emit({ op: 'putEmergencyStop', row: released });
    audit(turn, { by, ids: ports.ids }, 'estop.release', `halt/${row.id}`, { scope: row.scope });
  }
  return { ids: rows.map((row) => row.id) };
}

/** As {@link EmergencyStops.known}. */
export function knownStops(state: WorkingState): { halts: EmergencyStop[]; released: string[] } {
  const released = [...state.rows.emergencyStops.values()]
    .filter((row) => row.releasedAt !== null)
    .sort((a, b) => (a.releasedAt ?? 0) - (b.releasedAt ?? 0))
    .slice(-mostReleased);
  return {
    halts: stopsInForce(state).map(({ id, scope, by, reason }) => ({ id, scope, by, reason })),
    released: released.map((row) => row.id),
  };
}

/** Says whether no task may start at all, because of an emergency stop of everything or a queue pause. */
export function nothingStarts(state: WorkingState): boolean {
  return state.queuePause() !== undefined || stopsInForce(state).some((row) => row.scope === 'all');
}

/** A test for devices in the scope of an emergency stop in force. */
export function stoppedDevices(state: WorkingState): (device: Named) => boolean {
  const stops = stopsInForce(state);
  return (device) => stops.some((stop) => emergencyStopCovers(stop, device));
}

function record(turn: Turn, ports: StopPorts, stop: EmergencyStop, more: { told_by?: string }): void {
  const { id, scope, by, reason } = stop;
  const row = { id, scope, by, reason, at: turn.now, releasedAt: null, releasedBy: null };
  turn.emit({ op: 'putEmergencyStop', row });
  audit(turn, { by, ids: ports.ids }, 'estop.engage', `halt/${id}`, { scope, reason, ...more });
  for (const attempt of turn.state.rows.attempts.values())
    if (isStoppedBy(attempt, stop))
      turn.emit({
        op: 'updateAttempt',
        id: attempt.id,
        patch: { reason: { code: 'emergency_stop', message: wordsOf(row) } },
      });
}

/** The reason of a task that an emergency stop ended, in words. */
export function wordsOf({ by, reason }: EmergencyStopRow): string {
  return `emergency stop by ${by}${reason === '' ? '' : `: ${reason}`}`;
}

/** The attempt runs and has a device in the scope. A task without devices moves nothing and continues to its end. */
function isStoppedBy(attempt: AttemptRow, stop: EmergencyStop): boolean {
  return (
    awaitsAgent(attempt.state) &&
    Object.values(attempt.devices).some((device) => emergencyStopCovers(stop, device))
  );
}

export function stopsInForce(state: WorkingState): EmergencyStopRow[] {
  return [...state.rows.emergencyStops.values()].filter((row) => row.releasedAt === null);
}

/** Why this scope cannot be stopped; undefined: it can. */
function faultOf(labs: LabMap, scope: string): ServiceError | undefined {
  if (scope === 'all') return undefined;
  const [kind = '', ...rest] = scope.split(':');
  const name = rest.join(':');
  if (kind === 'lab')
    return labs.labs.has(name)
      ? undefined
      : new ServiceError('unknown_lab', `the laboratory "${name}" is not loaded`);
  if (kind === 'device')
    return labs.devices.has(name)
      ? undefined
      : new ServiceError('unknown_device', `no loaded laboratory has a device "${name}"`);
  return new ServiceError('bad_request', `"${scope}" is not a scope that can be stopped`);
}
