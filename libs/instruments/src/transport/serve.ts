import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Line, Transport } from './transport.js';

/** A twin or a recording behind a TCP port. */
export interface Served {
  port: number;
  close(): Promise<void>;
}

/**
 * Lets any program talk to a twin or a recording over TCP. Each connection opens a line of its own.
 *
 * @param host address to listen on; by default only programs of this computer reach it
 * @throws Error of the operating system, for example when the port is taken
 */
export async function serve(transport: Transport, port = 0, host = '127.0.0.1'): Promise<Served> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    const gone = new AbortController();
    const early: Buffer[] = [];
    let line: Line | undefined;
    socket.on('close', () => {
      sockets.delete(socket);
      gone.abort();
      void line?.close();
    });
    socket.on('data', (bytes: Buffer) => {
      if (line === undefined) early.push(bytes);
      else line.write(bytes, undefined);
    });
    const events = {
      bytes: (bytes: Buffer) => void socket.write(bytes),
      ended: () => void socket.end(),
    };
    transport.open(events, gone.signal).then(
      (opened) => {
        line = opened;
        for (const bytes of early.splice(0)) opened.write(bytes, undefined);
      },
      () => socket.destroy(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
