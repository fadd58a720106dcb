import { execFileSync } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SilaServer, type ServedIdentity, type ServedKeys } from '../src/server/index.js';
import { basicXml, commandXml, elementXml, featureXml } from '../src/server/xml.js';
import { announce } from './announce.js';

const part = (identifier: string) => ({ identifier, name: identifier, description: `${identifier}.` });

/** A certificate that a server has issued for itself, by OpenSSL. */
function selfSigned(): ServedKeys {
  const folder = mkdtempSync(join(tmpdir(), 'sila-keys-'));
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const words =
      'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=SiLA2 -addext subjectAltName=IP:127.0.0.1';
    execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface PlateReader {
  uuid: string;
  /** `host:port`. */
  address: string;
  /** SHA-256 of its certificate. */
  fingerprint: string;
  close: () => Promise<void>;
}

/** The plate reader of the guide page about SiLA: a server of our own on the loopback interface that announces itself. */
export async function startPlateReader(): Promise<PlateReader> {
  const read = commandXml(
    part('ReadAbsorbance'),
    true,
    [elementXml(part('Wavelength'), basicXml('Integer'))],
    [elementXml(part('Absorbance'), basicXml('Real'))],
  );
  const feature = {
    xml: featureXml(part('PlateReader'), { originator: 'org.example', category: 'readers', version: '1.0' }, [
      read,
    ]),
    get: () => null,
    run: () => Promise.resolve({ Absorbance: 0.42 }),
  };
  const uuid = randomUUID();
  const identity: ServedIdentity = {
    ...{ uuid, name: 'Plate Reader', type: 'PlateReader', description: 'Reads plates', version: '1.0' },
    vendorUrl: 'https://example.org',
  };
  const server = new SilaServer(identity, [feature]);
  const keys = selfSigned();
  const port = await server.listen('127.0.0.1', 0, keys);
  const silence = announce(uuid, identity.name, port);
  return {
    uuid,
    address: `127.0.0.1:${port}`,
    fingerprint: new X509Certificate(keys.certificate).fingerprint256,
    close: async () => {
      await silence();
      server.close();
    },
  };
}
