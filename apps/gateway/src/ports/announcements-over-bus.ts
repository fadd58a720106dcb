import type { Bus } from '@lab/messaging';
import type { Announcements } from './broker.js';

/** Publishes an event and waits until the broker has it: the bus itself drops events while it is disconnected. */
export function announcementsOver(bus: Bus): Announcements {
  return {
    async announce(definition, tokens, body) {
      bus.publish(definition, tokens, body);
      await bus.flush();
    },
  };
}
