import type { FoundServer, ServerLook } from '@lab/sila';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { facts, json } from '../at-service.js';
import { userError } from '../user-error.js';

interface DiscoverFlags {
  kind: 'sila';
  timeout: number;
  interface?: string;
  features?: boolean;
  json?: boolean;
}

/** What an instrument of the network says of itself. */
type Found = FoundServer & ServerLook;

/** `svc device discover`: the instruments that announce themselves in the network of this computer. */
export function addDiscoverCommand(device: Command): void {
  device
    .command('discover')
    .description('list the instruments that announce themselves in the network of this computer')
    .addOption(
      new Option('--kind <kind>', 'kind of the instruments: servers of SiLA 2')
        .choices(['sila'])
        .default('sila'),
    )
    .option('--timeout <seconds>', 'how long to listen', secondsOf, 5)
    .option(
      '--interface <address>',
      'address of this computer in the network to listen in (default: that of the default route)',
    )
    .option('--features', 'list the features of each server')
    .option('--json', 'print the list as JSON')
    .action((flags: DiscoverFlags) => discover(flags));
}

async function discover(flags: DiscoverFlags): Promise<void> {
  try {
    const sila = await import('@lab/sila');
    const announced = await sila.discover(() => false, flags.timeout * 1_000, flags.interface);
    const found = await Promise.all(
      announced.map(async (each): Promise<Found> => ({ ...each, ...(await sila.look(each.address)) })),
    );
    found.sort((a, b) => a.name.localeCompare(b.name) || a.uuid.localeCompare(b.uuid));
    const lines = flags.json === true ? json(found.map(recordOf)) : listOf(found, flags);
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

/** A server for programs. */
function recordOf(found: Found): object {
  const { uuid, name, certificate = null, server, features, problem = null } = found;
  return {
    ...{ kind: 'sila', name: server?.name ?? name, type: server?.type ?? null, uuid: server?.uuid ?? uuid },
    ...{ address: addressOf(found), certificate, features, problem },
  };
}

function listOf(found: readonly Found[], flags: DiscoverFlags): string[] {
  if (found.length === 0)
    return [
      `no SiLA server announced itself within ${flags.timeout} s`,
      'Multicast DNS ends at routers, and firewalls may block UDP port 5353. --interface chooses another network.',
    ];
  return found.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...describe(each, flags)]);
}

function describe(found: Found, { features: withFeatures }: DiscoverFlags): string[] {
  const { uuid, name, certificate, server, features, problem } = found;
  const uuids = server !== undefined && server.uuid.toLowerCase() !== uuid ? `, announced as ${uuid}` : '';
  return [
    plain(server?.name ?? name) || 'without a name',
    ...facts({
      type: server === undefined ? null : plain(server.type),
      UUID: plain(`${server?.uuid ?? uuid}${uuids}`),
      address: plain(addressOf(found)),
      certificate: plain(certificateText(certificate)),
      'SHA-256': certificate?.fingerprint ?? null,
      problem: problem === undefined ? null : plain(problem),
    }),
    ...(withFeatures === true ? features.map((each) => `  feature  ${plain(each)}`) : []),
    ...(problem === undefined ? [`  ${commandFor(found)}`] : []),
    ...(problem !== undefined || certificate === undefined || certificate.trusted
      ? []
      : [
          "  Compare the SHA-256 with what the instrument shows. If it is the same, add --set fingerprint='...'.",
        ]),
  ];
}

function certificateText(certificate: Found['certificate']): string {
  if (certificate === undefined) return 'none: the server does not encrypt, and nothing proves who answers';
  const { commonName, validTo, selfSigned, trusted } = certificate;
  const by = trusted
    ? 'of an authority that this computer knows'
    : selfSigned
      ? 'self-signed'
      : 'of an authority that this computer does not know';
  return `${by}, CN ${commonName}, valid until ${validTo}`;
}

/** The command that makes the server a device type of a package, with a device in its lab. */
function commandFor({ name, server, uuid, address, certificate }: Found): string {
  const type = (server?.name ?? name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '');
  const parameters = [
    `address=${addressOf({ address })}`,
    `server_uuid=${server?.uuid ?? uuid}`,
    ...(certificate === undefined ? ['insecure=true'] : []),
  ].map((each) => `--set ${quoted(each)}`);
  return `svc pkg add device PACKAGE ${type || 'sila_server'} --kind sila ${parameters.join(' ')}`;
}

/** What others wrote is a word of a shell here, and nothing else. */
function quoted(text: string): string {
  return /^[\w.:=-]+$/.test(text) ? text : `'${plain(text).replaceAll("'", "'\\''")}'`;
}

function addressOf({ address: { host, port } }: Pick<Found, 'address'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A text of another computer without what could move the cursor of a terminal, and not too long. */
function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, 300).trim();
}

function secondsOf(given: string): number {
  const value = Number(given);
  if (!(value > 0 && value <= 600))
    throw new InvalidArgumentError('give seconds, more than 0 and at most 600');
  return value;
}
