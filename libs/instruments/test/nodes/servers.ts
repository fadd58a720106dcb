import { once } from 'node:events';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';

export interface TestServer {
  address: string;
  close(): Promise<void>;
}

/** An HTTP server on loopback. */
export function serve(answer: RequestListener): Promise<TestServer> {
  return listening(createPlain(answer), 'http', '127.0.0.1');
}

/** An HTTPS server on loopback, with a certificate of an authority of its own for the names. */
export async function serveTls(
  answer: RequestListener,
  names: [string, ...string[]] = ['localhost', '127.0.0.1'],
): Promise<TestServer & { authority: string; certificate: string }> {
  const authority = await makeCertificateAuthority('lab', Date.now());
  const { certificate, key } = await certifyServer(authority, names, Date.now(), 90);
  const server = await listening(createTls({ cert: certificate, key }, answer), 'https', '127.0.0.1');
  return { ...server, authority: authority.certificate, certificate };
}

async function listening(server: Server, protocol: string, host: string): Promise<TestServer> {
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `${protocol}://${host}:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
