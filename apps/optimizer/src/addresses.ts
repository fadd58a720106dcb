import { networkInterfaces } from 'node:os';

/** Returns every address by which a lab file may name this computer, including loopback addresses, sorted. */
export function ownAddresses(interfaces = networkInterfaces()): string[] {
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return [...new Set(['127.0.0.1', ...addresses.map(({ address }) => address)])].sort();
}
