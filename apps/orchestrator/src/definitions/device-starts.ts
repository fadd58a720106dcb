import { isGivenUp, isUsable, ServiceError, type LoadedDevice } from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import type { DeviceStart, Engine } from '@lab/engine';

/** Milliseconds within which a device must start, including the way of its code to its agent and the stop of its earlier version. */
const deadlineMs = 95_000;
const lookMs = 50;

/**
 * Waits until each device of a laboratory is usable or its computer is not connected.
 *
 * @param started names of the devices that are to start; the others are only described
 * @param since milliseconds since 1970; an earlier start does not count
 * @param begun when the change began, from which the time counts, in milliseconds since 1970
 * @throws ServiceError `device_unavailable` with a fault per device that did not start; `service_unavailable` when
 *   this process stops
 */
export async function awaitStarts(
  ports: { engine: Engine; clock: Clock; timers: Timers; stopped: () => boolean },
  lab: string,
  started: ReadonlySet<string>,
  { since, begun }: { since: number; begun: number },
): Promise<LoadedDevice[]> {
  const end = begun + deadlineMs;
  for (;;) {
    if (ports.stopped()) throw new ServiceError('service_unavailable', 'the orchestrator is stopping');
    const devices = ports.engine.views.starts(lab);
    const late = ports.clock.now() >= end;
    const waiting = devices.filter(
      (device) => started.has(device.name) && progress(device, since) === 'starting',
    );
    if (waiting.length === 0 || late) {
      const failed = devices.filter(
        (device) => started.has(device.name) && progress(device, since, late) !== 'done',
      );
      if (failed.length > 0) throw notStarted(lab, failed);
      return devices.map(({ name, computer, state, detail }) => ({
        name,
        computer,
        state,
        detail,
        started: started.has(name),
      }));
    }
    await new Promise<void>((resolve) => ports.timers.after(lookMs, resolve));
  }
}

/** @param late true: news of the start may be lost, so a device that is usable now counts as started */
function progress(
  { reachable, startedAt, state }: DeviceStart,
  since: number,
  late = false,
): 'starting' | 'done' | 'failed' {
  if (!reachable) return 'done';
  const heard = startedAt !== undefined && startedAt >= since;
  if (!heard && !late) return 'starting';
  if (isUsable(state)) return 'done';
  return isGivenUp(state) ? 'failed' : 'starting';
}

function notStarted(lab: string, failed: readonly DeviceStart[]): ServiceError {
  const why = ({ state, detail }: DeviceStart): string =>
    isGivenUp(state)
      ? `is faulted: ${detail ?? 'no reason given'}`
      : `did not start within ${deadlineMs / 1_000} s (${state}${detail === null ? '' : `: ${detail}`})`;
  const faults = failed.map((device) => ({
    path: `${lab}.devices.${device.name}`,
    code: isGivenUp(device.state) ? 'device_faulted' : 'device_not_started',
    message: `${device.name} on ${device.computer} ${why(device)}`,
  }));
  return new ServiceError(
    'device_unavailable',
    `the laboratory ${lab} was not loaded, because ${faults.map((fault) => fault.message).join('; ')}`,
    // A repeated load would run `_initialize` of every device again, which may move instruments.
    { faults, effect: 'maybe' },
  );
}
