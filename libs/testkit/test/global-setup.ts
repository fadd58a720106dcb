import { offerServers } from '../src/testing/servers.js';
import { serversVariable } from '../src/testing/shared-server.js';

/** Offers the servers of a test run to its workers. Vitest calls this once, and calls what it returns at the end. */
export default async function setup(): Promise<() => Promise<void>> {
  const { socket, close } = await offerServers();
  process.env[serversVariable] = socket;
  return close;
}
