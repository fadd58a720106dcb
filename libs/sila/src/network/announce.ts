import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Address } from './address.js';
import { discover } from './discover.js';
import { multicast } from './multicast.js';

/** What a server says of itself in the network. */
export interface Announced {
  uuid: string;
  name: string;
  version: string;
  description: string;
  /** Where it listens. For `0.0.0.0` and `::`, all addresses of this computer in networks are announced. */
  address: Address;
  /** Its certificate, as PEM; absent: it does not encrypt. */
  certificate?: string | undefined;
  /** Address of the interface in which it is announced; absent: that of `address`, or of the default route. */
  networkInterface?: string | undefined;
}

/** The announcement of a server. */
export interface Announcement {
  /** The addresses that were announced. */
  readonly addresses: readonly string[];
  /** Tells the network that the server is no longer there, by records with the time to live 0 (RFC 6762, 10.1). */
  withdraw(): Promise<void>;
}

/** How long others have to say that they have the UUID, in milliseconds. */
const othersMs = 1_500;
/** How long the library may take: it asks three times, 0.25 s apart, and announces nothing if the name is taken after all. */
const announceMs = 10_000;
/** Seconds after which others forget records by themselves, for records with and without an address (RFC 6762, 10). */
const ttl = { address: 120, other: 4_500 };
/** Name of the record that lists the types of services. */
const typesName = '_services._dns-sd._udp.local';
/** Bytes of a key with its value in a TXT record (RFC 6763, 6.1). */
const longestText = 255;

/**
 * Announces a server by multicast DNS, as SiLA 2 Part (B) says: its UUID is the name, and the TXT record has `version`, `server_name` and
 * `description`. A certificate that the server has issued for itself is in it too, each line as `ca0`, `ca1` and so on. An announcement
 * proves nothing.
 *
 * @param failed hears an error of a later announcement
 * @throws Error when another server in the network has the UUID, or the network cannot be used
 */
export async function announce(
  announced: Announced,
  failed: (error: Error) => void = () => undefined,
): Promise<Announcement> {
  const { uuid, address, networkInterface } = announced;
  const txt = textsOf(announced);
  const addresses = await addressesOf(address.host, networkInterface);
  if (addresses.length === 0)
    throw new Error('this computer has no address in a network in which the server could be announced');
  const within = networkInterface ?? (isWildcard(address.host) ? undefined : addresses.find(isIPv4));
  const [other] = (await discover((each) => each.uuid === uuid, othersMs, within)).filter(
    (each) => each.uuid === uuid,
  );
  if (other !== undefined)
    throw new Error(
      `the server at ${other.address.host}:${other.address.port} announces itself in this network with the UUID ${uuid}: ` +
        'is the same device offered twice?',
    );
  let refuse: ((error: Error) => void) | undefined;
  const bonjour = multicast(within, (error) => (refuse ?? failed)(error));
  const end = (): Promise<void> => new Promise((resolve) => bonjour.destroy(resolve));
  // The library makes a record of the name of the computer, which another responder of this computer may own.
  const host = `${uuid}.local`;
  const service = bonjour.publish({ name: uuid, host, type: 'sila', port: address.port, txt });
  // The library would announce the addresses of all interfaces. It asks for the records later.
  const records = service.records.bind(service);
  service.records = () => [
    ...records()
      .filter(({ type }) => type !== 'A' && type !== 'AAAA')
      .map((each) => ({ ...each, ttl: each.type === 'SRV' ? ttl.address : ttl.other })),
    ...addresses.map((data) => ({
      ...{ name: host, type: isIPv4(data) ? ('A' as const) : ('AAAA' as const), ttl: ttl.address, data },
    })),
  ];
  try {
    await new Promise<void>((resolve, reject) => {
      refuse = reject;
      service.once('up', resolve);
      setTimeout(() => reject(new Error('the network took no announcement')), announceMs).unref();
    });
  } catch (error) {
    await end();
    throw error;
  }
  refuse = undefined;
  return {
    addresses,
    async withdraw() {
      // Other servers have the record of the type too.
      const all = service.records();
      service.records = () => all.filter(({ name }) => name !== typesName);
      await new Promise<void>((resolve) => service.stop(resolve));
      await end();
    },
  };
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

async function addressesOf(host: string, networkInterface: string | undefined): Promise<string[]> {
  if (!isWildcard(host)) return (await lookup(host, { all: true })).map(({ address }) => address);
  if (networkInterface !== undefined) return [networkInterface];
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family, address }) => {
      // An address of IPv6 that is local to its link needs the interface, which a record does not name.
      const isUsable = family === 'IPv4' || (host === '::' && !address.startsWith('fe80'));
      return !internal && isUsable;
    })
    .map(({ address }) => address);
}

function textsOf({ version, name, description, certificate }: Announced): Record<string, string> {
  const texts = { version, server_name: name, description };
  const cut = Object.entries(texts).map(([key, text]) => [
    key,
    shortened(text, longestText - key.length - 1),
  ]);
  const lines =
    certificate !== undefined && isSelfSigned(certificate) ? certificate.trim().split(/\r?\n/) : [];
  return {
    ...(Object.fromEntries(cut) as typeof texts),
    ...Object.fromEntries(lines.map((line, index) => [`ca${index}`, line])),
  };
}

/** Whether the first certificate of the PEM is issued by its own key. A client cannot know the authority of another one from here. */
function isSelfSigned(pem: string): boolean {
  const certificate = new X509Certificate(pem);
  return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
}

/** A text of at most so many bytes, without half a character at its end. */
function shortened(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString('utf8');
  return cut.length < text.length ? cut.replace(/\uFFFD+$/, '') : cut;
}
