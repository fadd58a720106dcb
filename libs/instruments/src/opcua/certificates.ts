import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OPCUACertificateManager } from 'node-opcua-certificate-manager';

/** The certificate of a device and its key, in files. */
export interface OwnCertificate {
  manager: OPCUACertificateManager;
  applicationUri: string;
  certificateFile: string;
  privateKeyFile: string;
  /** The same certificate in the form that servers take. */
  derFile: string;
}

/**
 * The certificate with which a device identifies itself. It is made when it is missing.
 *
 * @param name of the device
 */
export async function ownCertificate(folder: string, name: string): Promise<OwnCertificate> {
  const rootFolder = join(folder, 'pki');
  await mkdir(rootFolder, { recursive: true });
  // The certificate of the server was compared with the one that a person has confirmed before this manager sees it.
  const manager = new OPCUACertificateManager({ rootFolder, automaticallyAcceptUnknownCertificate: true });
  await manager.initialize();
  const certificateFile = join(rootFolder, 'own', 'certs', 'client.pem');
  const derFile = join(rootFolder, 'own', 'certs', 'client.der');
  const applicationUri = `urn:${hostname()}:svc:${name}`;
  if (!existsSync(certificateFile)) {
    await manager.createSelfSignedCertificate({
      applicationUri,
      dns: [hostname()],
      subject: `/CN=${name}/O=svc`,
      startDate: new Date(Date.now() - 3_600_000),
      validity: 3_650,
      outputFile: certificateFile,
    });
  }
  const certificate = new X509Certificate(await readFile(certificateFile));
  await writeFile(derFile, certificate.raw);
  return { manager, applicationUri, certificateFile, privateKeyFile: manager.privateKey, derFile };
}

/**
 * Compares the certificate of a server with the one that a person has confirmed.
 *
 * @param der the certificate, possibly followed by those of its authorities
 * @throws Error that says what to compare and what to write
 */
export function checkServerCertificate(der: Buffer, pinned: string | undefined, url: string): void {
  const certificate = new X509Certificate(der);
  const found = certificate.fingerprint256;
  const about = `${found} (${certificate.subject.replaceAll('\n', ', ')}, valid until ${certificate.validTo})`;
  if (pinned === undefined) {
    throw new Error(
      `nobody has confirmed the certificate of ${url}. It is ${about}. Compare it with the one that the instrument shows, then write init_parameters.server_certificate: ${found}`,
    );
  }
  if (found.replaceAll(':', '') !== pinned) {
    throw new Error(
      `the certificate of ${url} is ${about}, and init_parameters.server_certificate is another one. If it was renewed, compare it at the instrument and write it there; otherwise somebody stands between`,
    );
  }
  const now = Date.now();
  if (Date.parse(certificate.validTo) < now || Date.parse(certificate.validFrom) > now + 3_600_000) {
    throw new Error(
      `the certificate of ${url} is not valid at this time: it is ${about}. Renew it at the instrument, or set the clock`,
    );
  }
}
