import { networkInterfaces } from 'node:os';

/** Every address of this computer that a lab file may name it by, the loopback addresses included; sorted. */
export function ownAddresses(interfaces = networkInterfaces()): string[] {
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return [...new Set(['127.0.0.1', ...addresses.map(({ address }) => address)])].sort();
}
