import { createServer } from 'node:net';

/**
 * Makes sure that a port can be listened on.
 *
 * @param port 0 chooses a free one
 * @param advice what the user can do when it is taken, as the end of a sentence
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

/** The wanted port of 127.0.0.1 when it is free, else any free one. */
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
