import 'reflect-metadata';
import { randomBytes, webcrypto, X509Certificate as NodeCertificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  AuthorityKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto);
const { subtle } = webcrypto;

/** ECDSA with P-256 and SHA-256 (FIPS 186-5). Every TLS library of the last ten years knows it. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
const authorityDays = 3_650;
/** Clocks of other computers may be behind. */
const earlierMs = 3_600_000;

/** A certificate and its private key, both in PEM. */
export interface CertifiedKey {
  readonly certificate: string;
  /** PKCS #8. Secret. */
  readonly key: string;
}

/** Makes a certificate authority that certifies servers of one service, and nothing else. It is valid for ten years. */
export async function makeCertificateAuthority(name: string, now: number): Promise<CertifiedKey> {
  const keys = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
    serialNumber: newSerial(),
    notBefore: new Date(now - earlierMs),
    notAfter: new Date(now + authorityDays * dayMs),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await privatePem(keys.privateKey) };
}

/**
 * Certifies a new key of a server.
 *
 * @param names host names and IP addresses at which clients reach the server; the first is the common name
 * @param days how long it is valid
 * @param use `peer`: the nodes of a cluster also accept the server as one of theirs
 * @returns the certificate, followed by that of the authority
 */
export async function certifyServer(
  authority: CertifiedKey,
  names: readonly [string, ...string[]],
  now: number,
  days: number,
  use: 'server' | 'peer' = 'server',
): Promise<CertifiedKey> {
  const issuer = new X509Certificate(authority.certificate);
  const [signingKey, keys] = await Promise.all([
    subtle.importKey('pkcs8', PemConverter.decodeFirst(authority.key), algorithm, false, ['sign']),
    subtle.generateKey(algorithm, true, ['sign', 'verify']),
  ]);
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [names[0]] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    serialNumber: newSerial(),
    notBefore: new Date(now - earlierMs),
    notAfter: new Date(Math.min(now + days * dayMs, issuer.notAfter.getTime())),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(
        use === 'peer'
          ? [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]
          : [ExtendedKeyUsage.serverAuth],
      ),
      new SubjectAlternativeNameExtension(
        [...new Set(names)].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return {
    certificate: `${certificate.toString('pem')}\n${authority.certificate}`,
    key: await privatePem(keys.privateKey),
  };
}

/** Whether a certificate of a server is valid for these names, and for longer than the given time, in milliseconds. */
export function isCertifiedFor(
  pem: string,
  names: readonly string[],
  now: number,
  remainingMs: number,
): boolean {
  const certificate = new NodeCertificate(pem);
  return (
    Date.parse(certificate.validTo) > now + remainingMs &&
    names.every(
      (name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined,
    )
  );
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** 127 random bits, so that the number is positive and unique (RFC 5280, section 4.1.2.2). */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
