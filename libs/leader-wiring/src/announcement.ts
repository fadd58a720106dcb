import { orchestratorEvents } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { Bus } from '@lab/messaging';
import type { Timers } from '@lab/ports';
import type { Lease } from './lease.js';
import { leaderTimings } from './timings.js';

/**
 * Tells the agents who leads and which emergency stops are in force, now and every second. An agent that hears a new
 * leader registers with it at once. The returned function ends the announcements.
 *
 * @param serviceKey the public key with which the leader signs at present; undefined: none. Does not throw
 */
export function announceLeadership(
  bus: Bus,
  lease: Lease,
  engine: { emergencyStops: Pick<Engine['emergencyStops'], 'known'> },
  timers: Timers,
  instance: string,
  serviceKey: () => string | undefined = () => undefined,
): () => void {
  let cancel = (): void => undefined;
  const announce = (): void => {
    // Without a broker no agent could hear it; the next second announces again.
    if (bus.connected && lease.held) {
      const key = serviceKey();
      const signs = key === undefined ? {} : { service_key: key };
      bus.publish(
        orchestratorEvents.leading,
        {},
        { epoch: lease.epoch, instance, ...engine.emergencyStops.known(), ...signs },
      );
    }
    cancel = timers.after(leaderTimings.announceMs, announce);
  };
  announce();
  return () => cancel();
}
