import { randomUUID, X509Certificate } from 'node:crypto';
import { announce } from '../src/network/index.js';
import { SilaServer, type ServedIdentity } from '../src/server/index.js';
import { basicXml, commandXml, elementXml, featureXml } from '../src/server/xml.js';
import { selfSigned } from './self-signed.js';

const part = (identifier: string) => ({ identifier, name: identifier, description: `${identifier}.` });

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
  const announcement = await announce({
    ...{ uuid, name: identity.name, version: identity.version, description: identity.description },
    ...{ address: { host: '127.0.0.1', port }, certificate: keys.certificate },
  });
  return {
    uuid,
    address: `127.0.0.1:${port}`,
    fingerprint: new X509Certificate(keys.certificate).fingerprint256,
    close: async () => {
      await announcement.withdraw();
      server.close();
    },
  };
}
