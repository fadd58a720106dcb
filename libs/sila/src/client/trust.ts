import { credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import type { Address } from '../network/index.js';
import { SilaConnectionError, UntrustedServer } from './errors.js';

/** Why a server is trusted. SiLA demands TLS, and a person confirms a certificate that no authority has issued. */
export interface Trust {
  /** True: no TLS at all. */
  insecure?: boolean | undefined;
  /** SHA-256 of the certificate, as 64 hexadecimal digits, with or without colons. No other certificate is accepted. */
  fingerprint?: string | undefined;
  /** Certificates of authorities, as PEM. Absent: those of Node. */
  authorities?: string | undefined;
}

/** A certificate that a server shows, for people. */
export interface ShownCertificate {
  /** SHA-256, as in `AB:CD:...`. */
  fingerprint: string;
  commonName: string;
  /** As OpenSSL writes it. */
  validTo: string;
  /** The server, or somebody for it, has issued it, and no authority. */
  selfSigned: boolean;
  /** An authority that Node knows has issued it for this address. */
  trusted: boolean;
}

const probeMs = 10_000;

/** @returns the certificate of a server, trusted or not @throws SilaConnectionError when no TLS server answers */
export async function shownCertificate(address: Address): Promise<ShownCertificate> {
  const { certificate, refusal } = await probe(address, undefined);
  const parsed = new X509Certificate(certificate.raw);
  return {
    fingerprint: certificate.fingerprint256,
    commonName: String(certificate.subject.CN),
    validTo: certificate.valid_to,
    selfSigned: parsed.issuer === parsed.subject && parsed.verify(parsed.publicKey),
    trusted: refusal === undefined,
  };
}

/**
 * Finds out which certificate the server has, and makes the credentials of gRPC if it is trusted.
 *
 * @throws UntrustedServer when the certificate is another one, or nobody has confirmed it; SilaConnectionError when no TLS server answers
 */
export async function credentialsFor(address: Address, trust: Trust): Promise<ChannelCredentials> {
  if (trust.insecure === true) return credentials.createInsecure();
  const { certificate, refusal } = await probe(address, trust.authorities);
  const shown = certificate.fingerprint256;
  if (trust.fingerprint === undefined) {
    if (refusal !== undefined && trust.authorities !== undefined)
      throw notOfAuthorities(address, certificate, refusal);
    if (refusal !== undefined) throw unconfirmed(address, certificate);
    return credentials.createSsl(trust.authorities === undefined ? null : Buffer.from(trust.authorities));
  }
  const pinned = plain(trust.fingerprint);
  if (plain(shown) !== pinned) throw replaced(address, certificate, trust.fingerprint);
  return credentials.createSsl(Buffer.from(chainOf(certificate) + (trust.authorities ?? '')), null, null, {
    // The name in a certificate that a server makes for itself says nothing; the certificate itself is compared.
    checkServerIdentity: (_, now) =>
      plain(now.fingerprint256) === pinned
        ? undefined
        : new Error(`the server shows another certificate, ${now.fingerprint256}`),
  });
}

/** Whether the server still shows the certificate of the pin. True also when it cannot be reached. */
export async function showsOther(address: Address, trust: Trust): Promise<UntrustedServer | undefined> {
  if (trust.insecure === true || trust.fingerprint === undefined) return undefined;
  try {
    const { certificate } = await probe(address, trust.authorities);
    const isSame = plain(certificate.fingerprint256) === plain(trust.fingerprint);
    return isSame ? undefined : replaced(address, certificate, trust.fingerprint);
  } catch {
    return undefined;
  }
}

/** @returns the certificate that a server shows, and why it is not trusted; undefined: an authority has issued it for this address */
function probe(
  { host, port }: Address,
  authorities: string | undefined,
): Promise<{ certificate: DetailedPeerCertificate; refusal: string | undefined }> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port,
      ALPNProtocols: ['h2'],
      // The certificate is looked at below; nothing is sent over this connection.
      rejectUnauthorized: false,
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const fail = (why: string): void => {
      socket.destroy();
      reject(
        new SilaConnectionError('UNAVAILABLE', `no SiLA server with TLS answers at ${host}:${port} (${why})`),
      );
    };
    socket.setTimeout(probeMs, () => fail(`no answer within ${probeMs / 1_000} s`));
    socket.once('error', (error) => fail(error.message));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate(true);
      // Node says an error or its code; the type of Node knows the error only.
      const why = socket.authorizationError as Error | string | undefined;
      const refusal = socket.authorized ? undefined : why instanceof Error ? why.message : String(why);
      socket.destroy();
      resolve({ certificate, refusal });
    });
  });
}

function unconfirmed({ host, port }: Address, certificate: DetailedPeerCertificate): UntrustedServer {
  const shown = certificate.fingerprint256;
  return new UntrustedServer(
    shown,
    `the SiLA server at ${host}:${port} shows a certificate that nobody has confirmed (${describe(certificate)}): ` +
      `compare its SHA-256 with what the instrument shows, then write fingerprint: '${shown}'`,
  );
}

function notOfAuthorities(
  { host, port }: Address,
  certificate: DetailedPeerCertificate,
  why: string,
): UntrustedServer {
  const shown = certificate.fingerprint256;
  return new UntrustedServer(
    shown,
    `the SiLA server at ${host}:${port} shows the certificate ${shown} (${describe(certificate)}), which none of the given ` +
      `authorities has issued for ${host} (${why}): connect with a name that stands in the certificate, or give the ` +
      'authority that has issued it',
  );
}

function replaced(
  { host, port }: Address,
  certificate: DetailedPeerCertificate,
  pinned: string,
): UntrustedServer {
  const shown = certificate.fingerprint256;
  return new UntrustedServer(
    shown,
    `the SiLA server at ${host}:${port} shows the certificate ${shown} (${describe(certificate)}), not the confirmed one, ` +
      `${pinned}: if its certificate was renewed, confirm the new one, otherwise another computer answers`,
  );
}

function describe(certificate: DetailedPeerCertificate): string {
  const uuid = serverUuidOf(certificate.raw);
  const name = `CN ${String(certificate.subject.CN)}, valid until ${certificate.valid_to}`;
  return uuid === undefined ? name : `${name}, server UUID ${uuid}`;
}

/** OID 1.3.6.1.4.1.58583 in DER, which SiLA has for the UUID of the server. */
const uuidOid = Buffer.from('06082b0601040183c957', 'hex');

function serverUuidOf(der: Buffer): string | undefined {
  const at = der.indexOf(uuidOid);
  if (at < 0) return undefined;
  const next = der.subarray(at, at + 64).toString('latin1');
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(next)?.[0];
}

/** The certificate and those of its issuers, as far as the server sent them. */
function chainOf(certificate: DetailedPeerCertificate): string {
  const chain: string[] = [];
  let each: DetailedPeerCertificate | undefined = certificate;
  while (each !== undefined && chain.length < 10) {
    chain.push(pem(each.raw));
    const issuer: DetailedPeerCertificate | undefined = each.issuerCertificate;
    each = issuer?.fingerprint256 === each.fingerprint256 ? undefined : issuer;
  }
  return chain.join('');
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}
