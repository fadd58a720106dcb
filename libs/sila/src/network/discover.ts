import type { Bonjour, Service } from 'bonjour-service';
import type { Address } from './address.js';
import { multicast } from './multicast.js';

/** A server that announces itself in the network. Nothing of it is proven: only its certificate is. */
export interface FoundServer {
  uuid: string;
  name: string;
  address: Address;
}

/**
 * Looks for SiLA servers that announce themselves by multicast DNS.
 *
 * @param isWanted ends the search early
 * @param withinMs how long the search takes otherwise, in milliseconds
 * @param networkInterface address of the interface to search in; absent: that of the default route
 */
export async function discover(
  isWanted: (server: FoundServer) => boolean,
  withinMs: number,
  networkInterface?: string,
): Promise<FoundServer[]> {
  const found = new Map<string, FoundServer>();
  let timers: NodeJS.Timeout[] = [];
  let bonjour: Bonjour | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      bonjour = multicast(networkInterface, reject);
      const browser = bonjour.find({ type: 'sila', protocol: 'tcp' }, (service) => {
        const server = serverOf(service);
        if (server === undefined) return;
        found.set(server.uuid, server);
        if (isWanted(server)) resolve();
      });
      // Answers may be lost, so the question is asked again.
      timers = [setInterval(() => browser.update(), 1_000), setTimeout(resolve, withinMs)];
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    bonjour?.destroy();
  }
  return [...found.values()];
}

/** @returns undefined when the announcement lacks an address */
function serverOf({ name, host, addresses = [], port, txt, referer }: Service): FoundServer | undefined {
  const text = (txt ?? {}) as Record<string, unknown>;
  // An address of IPv6 that is local to its link needs the interface, which the announcement does not name.
  // An announcement without an address comes from the computer of the server.
  const address = addresses.find((each) => !each.includes(':')) ?? addresses[0] ?? referer?.address ?? host;
  if (address === '' || port === 0) return undefined;
  return {
    uuid: name.toLowerCase(),
    name: typeof text['server_name'] === 'string' ? text['server_name'] : '',
    address: { host: address, port },
  };
}
