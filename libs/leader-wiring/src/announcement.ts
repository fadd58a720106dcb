import { orchestratorEvents } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { Bus } from '@lab/messaging';
import type { Timers } from '@lab/ports';
import type { Lease } from './lease.js';
import { leaderTimings } from './timings.js';

/**
 * Tells the agents who leads and which emergency stops are in force, now and every second. An agent that hears a new
 * leader registers with it at once. The returned function ends the announcements.
 */
export function announceLeadership(
  bus: Bus,
  lease: Lease,
  engine: { emergencyStops: Pick<Engine['emergencyStops'], 'known'> },
  timers: Timers,
  instance: string,
): () => void {
  let cancel = (): void => undefined;
  const announce = (): void => {
    // Without a broker no agent could hear it; the next second announces again.
    if (bus.connected && lease.held)
      bus.publish(
        orchestratorEvents.leading,
        {},
        { epoch: lease.epoch, instance, ...engine.emergencyStops.known() },
      );
    cancel = timers.after(leaderTimings.announceMs, announce);
  };
  announce();
  return () => cancel();
}
