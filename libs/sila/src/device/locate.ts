import { discover, type Address, type FoundServer } from '../network/index.js';
import type { SilaSettings } from './settings.js';

/** How long the network is searched for the server, in milliseconds. */
const discoveryMs = 10_000;

/**
 * The address of the server that the settings name, which is looked for in the network if they have none.
 *
 * @throws Error that names the servers of the network when the wanted one is not among them
 */
export async function locate({
  address,
  server_uuid: uuid,
  server_name: name,
  network_interface,
}: SilaSettings): Promise<Address> {
  if (address !== undefined) {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
    return { host, port: Number(address.slice(colon + 1)) };
  }
  const isWanted = (each: FoundServer): boolean =>
    uuid === undefined ? each.name === name : each.uuid === uuid.toLowerCase();
  const found = await discover(isWanted, discoveryMs, network_interface);
  const wanted = found.filter(isWanted);
  const [first] = wanted;
  if (first !== undefined && wanted.length === 1) return first.address;
  const names = found.map(
    (each) => `${each.name} (UUID ${each.uuid}) at ${each.address.host}:${each.address.port}`,
  );
  const what = uuid === undefined ? `with the name ${String(name)}` : `with the UUID ${uuid}`;
  const how = first === undefined ? 'no SiLA server' : 'more than one SiLA server';
  throw new Error(`${how} ${what} announces itself in the network; found: ${names.join(', ') || 'none'}`);
}
