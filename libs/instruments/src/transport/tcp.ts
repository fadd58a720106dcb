import { readFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { z } from 'zod';
import type { Line, LineEvents, Transport } from './transport.js';

const port = z.int().min(1).max(65_535);

/** The init parameter `transport.tcp`. */
export const tcpSettings = z.strictObject({
  host: z.string().min(1),
  port,
  /** `true`: TLS with the authorities of Node; an object: with files in PEM on the computer of the device. */
  tls: z
    .union([
      z.boolean(),
      z.strictObject({
        ca_file: z.string().optional(),
        certificate_file: z.string().optional(),
        key_file: z.string().optional(),
        /** Name in the certificate of the instrument, if it differs from `host`. */
        server_name: z.string().optional(),
      }),
    ])
    .default(false),
});
export type TcpSettings = z.output<typeof tcpSettings>;

/** Milliseconds after which the operating system asks a silent connection whether it still stands. */
const keepAliveMs = 10_000;

/**
 * A TCP connection, with TLS if the settings say so. Small requests leave at once (`TCP_NODELAY`).
 *
 * `open` throws when nothing listens there, the name is unknown, or the certificate is not trusted.
 */
export function tcp(settings: TcpSettings): Transport {
  const { host, tls } = settings;
  const label = `${tls === false ? 'tcp' : 'tls'}://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
  return {
    label,
    open: (events, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const socket = connect(settings);
        const fail = (error: Error): void => {
          signal.removeEventListener('abort', abort);
          socket.destroy();
          reject(new Error(`${label}: ${reasonOf(error)}`, { cause: error }));
        };
        const abort = (): void => fail(new Error('gave up'));
        signal.addEventListener('abort', abort, { once: true });
        socket.once('error', fail);
        socket.once(tls === false ? 'connect' : 'secureConnect', () => {
          signal.removeEventListener('abort', abort);
          socket.off('error', fail);
          socket.setNoDelay(true);
          socket.setKeepAlive(true, keepAliveMs);
          resolve(lineOn(socket, events));
        });
      }),
  };
}

function connect({ host, port: at, tls }: TcpSettings): Socket {
  if (tls === false) return connectTcp({ host, port: at });
  const { ca_file: ca, certificate_file: cert, key_file: key, server_name: name } = tls === true ? {} : tls;
  const read = (file: string | undefined): Buffer | undefined =>
    file === undefined ? undefined : readFileSync(file);
  // A name in the handshake must not be an address.
  const servername = name ?? (/^[\d.]+$|:/.test(host) ? undefined : host);
  return connectTls({
    ...{ host, port: at, ca: read(ca), cert: read(cert), key: read(key) },
    ...(servername === undefined ? {} : { servername }),
  });
}

function lineOn(socket: Socket, events: LineEvents): Line {
  let isOver = false;
  const over = (why: string): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    events.ended(why);
  };
  socket.on('data', (bytes: Buffer) => {
    if (!isOver) events.bytes(bytes);
  });
  socket.on('error', (error) => over(reasonOf(error)));
  socket.on('end', () => over('closed by the instrument'));
  socket.on('close', () => over('closed'));
  return {
    write(bytes, _call, taken) {
      socket.write(bytes, taken === undefined ? undefined : (error) => taken(error ?? undefined));
    },
    close() {
      isOver = true;
      if (socket.closed) return Promise.resolve();
      return new Promise((resolve) => {
        socket.once('close', () => resolve());
        socket.destroy();
      });
    },
  };
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at this address',
  ENOTFOUND: 'the name of the host is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  ECONNRESET: 'the instrument reset the connection',
  EPIPE: 'the instrument closed the connection',
};

/** A sentence without a subject, for people. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const reason = reasons[error.code ?? ''];
  if (reason !== undefined) return `${reason} (${error.code})`;
  return error.message === '' ? (error.code ?? error.name) : error.message;
}
