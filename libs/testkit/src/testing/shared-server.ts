import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { processEnvironment } from '@lab/runtime';

/** Name of the environment variable with the path of the socket at which the servers of a test run are asked for. */
export const serversVariable = 'SVC_TEST_SERVERS';

/**
 * Asks the test run for a server.
 *
 * @returns its address; undefined when the test run offers none
 * @throws Error with the reason why the server did not start
 */
export async function sharedServer(kind: 'postgres' | 'nats'): Promise<string | undefined> {
  const socketPath = processEnvironment()[serversVariable];
  if (socketPath === undefined) return undefined;
  const asked = request({ socketPath, path: `/${kind}`, agent: false });
  asked.end();
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(reply);
  if (reply.statusCode !== 200) throw new Error(body);
  return body;
}
