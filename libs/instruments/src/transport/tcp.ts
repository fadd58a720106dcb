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
 * `open` throws when nothing listens there, the name is unknown, or the certificate is not trusted. Nothing is sent before the
 * certificate of the instrument was checked. An instrument may ask for a certificate of the device only after that: then the line ends.
 */
export function tcp(settings: TcpSettings): Transport {
  const { host, tls } = settings;
  const label = `${tls === false ? 'tcp' : 'tls'}://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
  return {
    label,
    open: (events, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        let take: ((bytes: Buffer) => void) | undefined;
        const socket = connect(settings, (bytes) => take?.(bytes));
        const fail = (error: Error): void => {
          signal.removeEventListener('abort', abort);
          socket.destroy();
          reject(new Error(`${label}: ${reasonOf(error)}`, { cause: error }));
        };
        const abort = (): void =>
          fail(new Error(socket.connecting || tls === false ? 'the host does not answer' : noTls));
        signal.addEventListener('abort', abort, { once: true });
        socket.once('error', fail);
        socket.once(tls === false ? 'connect' : 'secureConnect', () => {
          signal.removeEventListener('abort', abort);
          socket.off('error', fail);
          socket.setNoDelay(true);
          socket.setKeepAlive(true, keepAliveMs);
          const [line, taker] = lineOn(socket, events);
          take = taker;
          if (tls !== false) socket.on('data', taker);
          resolve(line);
        });
      }),
  };
}

/** Bytes of the memory into which a connection reads. */
const readBytes = 64 * 1024;

/** @param take gets the bytes that come without TLS */
function connect({ host, port: at, tls }: TcpSettings, take: (bytes: Buffer) => void): Socket {
  if (tls === false) {
    // Without it, Node allocates as much for each answer of a few bytes.
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    const callback = (size: number): boolean => {
      // The same memory gets the next bytes.
      const bytes = Buffer.allocUnsafe(size);
      buffer.copy(bytes, 0, 0, size);
      take(bytes);
      return true;
    };
    return connectTcp({ host, port: at, onread: { buffer, callback } });
  }
  const { ca_file: ca, certificate_file: cert, key_file: key, server_name: name } = tls === true ? {} : tls;
  const read = (file: string | undefined, what: string): Buffer | undefined => {
    try {
      return file === undefined ? undefined : readFileSync(file);
    } catch (error) {
      throw new Error(`transport.tcp.tls.${what}: cannot read ${file}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  // A name in the handshake must not be an address.
  const servername = name ?? (/^[\d.]+$|:/.test(host) ? undefined : host);
  return connectTls({
    ...{ host, port: at, ca: read(ca, 'ca_file') },
    ...{ cert: read(cert, 'certificate_file'), key: read(key, 'key_file') },
    ...(servername === undefined ? {} : { servername }),
  });
}

/** @returns the line, and what takes the bytes that come */
function lineOn(socket: Socket, events: LineEvents): [Line, (bytes: Buffer) => void] {
  let isOver = false;
  const over = (why: string): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    events.ended(why);
  };
  socket.on('error', (error) => over(reasonOf(error)));
  socket.on('end', () => over('closed by the instrument'));
  socket.on('close', () => over('closed'));
  const line: Line = {
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
  const take = (bytes: Buffer): void => {
    if (!isOver) events.bytes(bytes);
  };
  return [line, take];
}

const untrusted =
  'nobody whom this computer trusts has signed its certificate: write the file of the authority into transport.tcp.tls.ca_file';
const notNow = 'its certificate is not valid at this time: renew it at the instrument, or set the clock';
const noTls = 'it does not speak TLS there: is this the port without TLS?';
const wantsCertificate =
  'it admits only devices with a certificate that it trusts: write transport.tcp.tls.certificate_file and key_file';

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at this address',
  ENOTFOUND: 'the name of the host is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  ECONNRESET: 'the instrument reset the connection',
  EPIPE: 'the instrument closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: notNow,
  CERT_NOT_YET_VALID: notNow,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name: write a name of the certificate into transport.tcp.tls.server_name',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: wantsCertificate,
};

/** The names for which a certificate is, if the error is about them. */
function namesIn(error: Error & { cert?: { subjectaltname?: string } }): string {
  const names = error.cert?.subjectaltname;
  return names === undefined ? '' : `; it is for ${names}`;
}

/** A sentence without a subject, for people. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const reason = reasons[error.code ?? ''];
  if (reason !== undefined) return `${reason} (${error.code})${namesIn(error)}`;
  return error.message === '' ? (error.code ?? error.name) : error.message;
}
