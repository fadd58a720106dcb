import { NotBegun, type BaseDevice } from '@lab/sdk';
import {
  ActivateSessionRequest,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  type ClientSession,
  type EndpointDescription,
} from 'node-opcua-client';
import { messageOf } from '../errors/index.js';
import { openSocket } from '../messages/index.js';
import { checkServerCertificate, ownCertificate, type OwnCertificate } from './certificates.js';
import { checkKind, readUser, refusal, type UserSettings } from './user.js';

export interface OpcuaPeer {
  url: string;
  policy: 'None' | 'Basic256Sha256';
  mode: 'None' | 'Sign' | 'SignAndEncrypt';
  /** SHA-256 of the certificate of the server. */
  pinned: string | undefined;
  user: UserSettings;
  /** `<lab>-<device>` */
  name: string;
  /** Where the certificates of the device are. */
  folder: string;
  log: BaseDevice['log'];
}

export interface Connection {
  client: OPCUAClient;
  session: ClientSession;
}

/** One attempt: the device connects again itself. The library would send pending requests again. */
const once = { maxRetry: 0, initialDelay: 100, maxDelay: 1_000 };

/**
 * Connects to a server and opens a session.
 *
 * @throws NotBegun that says what to do
 */
export async function connect(peer: OpcuaPeer, signal: AbortSignal): Promise<Connection> {
  const { hostname, port } = new URL(peer.url.replace(/^opc\.tcp:/, 'http:'));
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port === '' ? 4840 : port),
    tls: null,
  };
  let client: OPCUAClient | null = null;
  try {
    const user = await readUser(peer.user);
    (await openSocket(target, signal)).destroy();
    const own = await ownCertificate(peer.folder, peer.name);
    const endpoint = await chooseEndpoint(peer, own, signal);
    if (peer.policy !== 'None') {
      checkServerCertificate(endpoint.serverCertificate, peer.pinned, peer.url);
    }
    checkKind(user, endpoint, peer.url);
    client = OPCUAClient.create({
      ...optionsOf(peer, own),
      securityMode: MessageSecurityMode[peer.mode],
      securityPolicy: SecurityPolicy[peer.policy],
      ...(peer.policy === 'None' ? {} : { serverCertificate: endpoint.serverCertificate }),
      keepSessionAlive: true,
      requestedSessionTimeout: 60_000,
    });
    const opened = client;
    const opening = opened.connect(peer.url).catch((error: unknown) => {
      throw new Error(explain(`does not open a secure channel: ${messageOf(error)}`, peer, own), {
        cause: error,
      });
    });
    await abortable(opening, signal);
    let isLoggingIn = false;
    opened.on('send_request', (request) => {
      isLoggingIn ||= request instanceof ActivateSessionRequest;
    });
    const starting = opened.createSession(user.identity).catch((error: unknown) => {
      const what = messageOf(error);
      const isUser = isLoggingIn && /BadUser|BadIdentityToken|BadCertificate|BadSecurityChecks/.test(what);
      throw new Error(
        isUser
          ? refusal(user, endpoint, peer.url, what)
          : explain(`does not open a session: ${what}`, peer, own),
        { cause: error },
      );
    });
    return { client: opened, session: await abortable(starting, signal) };
  } catch (error) {
    await client?.disconnect().catch((failure: unknown) => peer.log.debug(messageOf(failure)));
    throw new NotBegun(messageOf(error), { cause: error });
  }
}

function optionsOf({ name }: OpcuaPeer, own: OwnCertificate) {
  return {
    applicationName: name,
    applicationUri: own.applicationUri,
    clientName: name,
    certificateFile: own.certificateFile,
    privateKeyFile: own.privateKeyFile,
    clientCertificateManager: own.manager,
    endpointMustExist: false,
    connectionStrategy: once,
  };
}

/** @throws Error that lists what the server has */
async function chooseEndpoint(
  peer: OpcuaPeer,
  own: OwnCertificate,
  signal: AbortSignal,
): Promise<EndpointDescription> {
  const client = OPCUAClient.create(optionsOf(peer, own));
  let endpoints: EndpointDescription[];
  try {
    await abortable(client.connect(peer.url), signal);
    endpoints = await abortable(client.getEndpoints({ endpointUrl: peer.url }), signal);
  } catch (error) {
    throw new Error(`${peer.url} does not answer as a server of OPC UA: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await client.disconnect();
  }
  const found = endpoints.find(
    ({ securityMode, securityPolicyUri }) =>
      securityMode === MessageSecurityMode[peer.mode] &&
      securityPolicyUri === String(SecurityPolicy[peer.policy]),
  );
  if (found !== undefined) return found;
  const all = endpoints.map(
    ({ securityMode, securityPolicyUri }) =>
      `${(securityPolicyUri ?? '').replace(/^.*#/, '')} with ${MessageSecurityMode[securityMode]}`,
  );
  throw new Error(
    `${peer.url} has no endpoint with ${peer.policy} and ${peer.mode}. It has ${[...new Set(all)].join(', ') || 'none'}: ` +
      'enable it at the server, or write another one into init_parameters.security',
  );
}

function explain(what: string, { url, policy }: OpcuaPeer, own: OwnCertificate): string {
  if (policy === 'None') return `${url} ${what}`;
  return (
    `${url} ${what}. If it does not trust the certificate of this device, copy ${own.derFile} ` +
    'into the trusted certificates of the server (often pki/trusted/certs), or trust it in the menu of the instrument; many servers keep it in a folder rejected'
  );
}

/** Waits for a promise, at most until the signal aborts. */
export async function abortable<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // If the signal aborts first, nobody waits for the promise.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let abort: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        abort = () => reject(signal.reason as Error);
        signal.addEventListener('abort', abort, { once: true });
      }),
    ]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}
