import { orchestratorEvents } from '@lab/contracts';
import type { Engine, Timers } from '@lab/engine';
import type { Bus } from '@lab/messaging';

/** How often the leader says so, in milliseconds. */
const announceMs = 1_000;

/** Tells the agents who leads, now and every second, so that they register with a new leader at once. */
export function announceLeadership(bus: Bus, engine: Engine, timers: Timers, instance: string): () => void {
  let cancel = (): void => undefined;
  const announce = (): void => {
    // While the broker is away nobody could hear it; the next second tells again.
    if (bus.connected) bus.publish(orchestratorEvents.leading, {}, { epoch: engine.epoch, instance });
    cancel = timers.after(announceMs, announce);
  };
  announce();
  return () => cancel();
}
