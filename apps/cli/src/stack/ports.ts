import { createServer } from 'node:net';

/**
 * Checks that this process can listen on a port.
 *
 * @param port 0 chooses a free one
 * @param advice what the user can do if the port is in use, as the end of a sentence
 * @returns the port
 * @throws Error in one sentence
 */
export async function claimablePort(host: string, port: number, advice: string): Promise<number> {
  try {
    return await tryPort(host, port);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'EADDRINUSE'
        ? `Port ${port} of ${host} is in use by another program`
        : code === 'EACCES'
          ? `Port ${port} of ${host} may not be used without more rights`
          : `${host} cannot be listened on (${code ?? String(error)})`;
    throw new Error(`${reason}; ${advice}.`, { cause: error });
  }
}

/** Returns the wanted port of 127.0.0.1 if it is free, otherwise another free port. */
export async function freePort(wanted = 0): Promise<number> {
  try {
    return await tryPort('127.0.0.1', wanted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return tryPort('127.0.0.1', 0);
  }
}

function tryPort(host: string, port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      server.close((error) => (error === undefined ? resolve(taken) : reject(error)));
    });
  });
}
