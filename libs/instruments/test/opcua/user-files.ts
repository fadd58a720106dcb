import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPCUACertificateManager } from 'node-opcua';

/** The certificate of a user and its key, in files. */
export interface UserFiles {
  certificate: string;
  key: string;
  der: Buffer;
  /** SHA-256 of the certificate. */
  fingerprint: string;
}

/** @param days from now until the certificate ends */
export async function userFiles(folder: string, name: string, days = 30): Promise<UserFiles> {
  const manager = new OPCUACertificateManager({ rootFolder: join(folder, name) });
  await manager.initialize();
  const certificate = join(folder, `${name}.pem`);
  await manager.createSelfSignedCertificate({
    ...{ applicationUri: `urn:user:${name}`, dns: [], subject: `/CN=${name}`, outputFile: certificate },
    ...{ startDate: new Date(Date.now() - 10 * 86_400_000), validity: 10 + days },
  });
  await manager.dispose();
  const { raw: der, fingerprint256: fingerprint } = new X509Certificate(readFileSync(certificate));
  return { certificate, key: manager.privateKey, der, fingerprint };
}
