import type { Bus } from '@lab/messaging';
import type { Announcements } from './broker.js';

/** Publishes, and makes sure that the broker got it: the bus itself drops what is published while disconnected. */
export function announcementsOver(bus: Bus): Announcements {
  return {
    async announce(definition, tokens, body) {
      bus.publish(definition, tokens, body);
      await bus.flush();
    },
  };
}
