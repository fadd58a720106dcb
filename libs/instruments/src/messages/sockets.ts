import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { NotBegun } from '@lab/sdk';
import { z } from 'zod';
import { messageOf } from '../errors/index.js';

/** How a TLS server is recognised, and what it is shown. Paths are on the computer of the device. */
export const tlsSettings = z.strictObject({
  /** PEM file of the authority that signed the certificate of the server. Default: those of Node. */
  ca: z.string().optional(),
  /** SHA-256 of the certificate of the server, in place of an authority. */
  fingerprint: z
    .string()
    .transform((text) => text.replaceAll(':', '').toUpperCase())
    .pipe(z.string().regex(/^[0-9A-F]{64}$/, 'is the SHA-256 of a certificate: 64 hexadecimal digits'))
    .optional(),
  /** The name in the certificate, if it is not that of the address. */
  name: z.string().optional(),
  /** PEM files with which the device identifies itself. */
  certificate: z.string().optional(),
  key: z.string().optional(),
});

export interface TlsFiles {
  ca?: string;
  fingerprint?: string;
  name?: string;
  certificate?: string;
  key?: string;
}

/** Reads the files of TLS settings. @throws Error that names the file */
export async function readTls(settings: z.output<typeof tlsSettings>): Promise<TlsFiles> {
  const read = async (path: string, what: string): Promise<string> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new Error(`init_parameters.tls.${what}: cannot read ${path}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
  const files: TlsFiles = {};
  if (settings.fingerprint !== undefined) files.fingerprint = settings.fingerprint;
  if (settings.name !== undefined) files.name = settings.name;
  for (const what of ['ca', 'certificate', 'key'] as const) {
    const path = settings[what];
    if (path !== undefined) files[what] = await read(path, what);
  }
  return files;
}

export interface Target {
  host: string;
  port: number;
  /** Null: a connection without TLS. */
  tls: TlsFiles | null;
}

/**
 * Opens a connection whose server is the right one. Nothing was sent on it, beside the handshake of TLS.
 *
 * @throws NotBegun that says why not, and what to do
 */
export async function openSocket({ host, port, tls }: Target, signal: AbortSignal): Promise<Socket> {
  if (signal.aborted) throw new NotBegun(messageOf(signal.reason));
  const socket = tls === null ? connectTcp({ host, port }) : startTls(host, port, tls);
  socket.setNoDelay(true);
  try {
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      const settle = (act: () => void) => (): void => {
        signal.removeEventListener('abort', abort);
        act();
      };
      socket.once(tls === null ? 'connect' : 'secureConnect', settle(resolve));
      socket.once('error', (error) => settle(() => reject(error))());
      socket.once(
        'close',
        settle(() => reject(new Error('the server closed the connection'))),
      );
    });
    if (tls !== null) checkServer(socket as TLSSocket, tls);
  } catch (error) {
    const message = explain(error, `${host}:${port}`, socket);
    // An error that arrives later has nobody to hear it.
    socket.on('error', () => undefined);
    socket.destroy();
    throw new NotBegun(message, { cause: error });
  }
  socket.removeAllListeners('error').removeAllListeners('close');
  return socket;
}

function startTls(host: string, port: number, tls: TlsFiles): TLSSocket {
  const name = tls.name ?? host;
  return connectTls({
    host,
    port,
    ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    // `checkServer` refuses a wrong server before anything is sent. So its message can name the certificate.
    rejectUnauthorized: false,
  });
}

/** SHA-256 of a certificate as people compare it: `AB:CD:...`. @param der or PEM */
export const fingerprintOf = (certificate: Buffer | string): string =>
  new X509Certificate(certificate).fingerprint256;

/** @throws Error unless the server is the one that the settings name */
function checkServer(socket: TLSSocket, { fingerprint: pinned }: TlsFiles): void {
  if (pinned === undefined) {
    if (socket.authorized) return;
    const found: unknown = socket.authorizationError;
    throw found instanceof Error ? found : Object.assign(new Error(String(found)), { code: String(found) });
  }
  const found = socket.getPeerX509Certificate()?.fingerprint256 ?? 'none';
  if (found.replaceAll(':', '') === pinned) return;
  throw new Error(
    `the server presents the certificate ${found}, and init_parameters.tls.fingerprint is another one. ` +
      'If the certificate was renewed, compare this value at the instrument and write it there; otherwise somebody stands between',
  );
}

function explain(error: unknown, place: string, socket: Socket): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const what = messageOf(error);
  const lead = `cannot connect to ${place}: `;
  switch (code) {
    case 'ECONNREFUSED':
      return `${lead}nothing listens there. Is the instrument on, and is the port right?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${lead}the name is unknown on this computer. Is it written rightly?`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return `${lead}the address does not answer (${code}). Is the instrument in this network?`;
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${lead}its certificate is not valid at this time (${code}). Renew it at the instrument, or set the clock${presented(socket)}`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${lead}its certificate is for another name. Write the name of the certificate into init_parameters.tls.name. ${what}`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return (
        `${lead}nobody whom this computer trusts has signed its certificate (${code}). ` +
        `Write the file of the authority into init_parameters.tls.ca, or compare the certificate at the instrument and write it into init_parameters.tls.fingerprint${presented(socket)}`
      );
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
      return `${lead}it does not speak TLS there (${code}). Is the address one without TLS?`;
    default:
      return `${lead}${what}`;
  }
}

/** The certificate of a server, if the handshake came so far. */
function presented(socket: Socket): string {
  const certificate =
    'getPeerX509Certificate' in socket ? (socket as TLSSocket).getPeerX509Certificate() : undefined;
  return certificate === undefined
    ? ''
    : `. It presents ${certificate.fingerprint256}, valid until ${certificate.validTo}`;
}
