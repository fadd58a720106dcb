import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ApiClient } from '@lab/api-client';
import type { JsonObject, JsonValue } from '@lab/contracts';
import type { Announcement, ServedKeys } from '@lab/sila';
import type { Command } from 'commander';
import { atService, person, withUrl, type PersonFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';
import { deviceNamed } from './device-filter.js';

interface OfferFlags extends PersonFlags {
  listen: string;
  key?: string;
  certificate?: string;
  insecure?: boolean;
  originator: string;
  announce?: boolean;
  interface?: string;
}

/** How much longer than a function may take its caller waits, in milliseconds. */
const answerMs = 10_000;
const defaultTimeoutS = 60;

/** `svc device offer`: a device as a SiLA 2 server, until the command is stopped. */
export function addOfferCommand(device: Command): void {
  withUrl(device.command('offer'))
    .description('offer a device to clients of SiLA 2, until this command is stopped')
    .argument('<lab.device>', 'the device')
    .option('--listen <host:port>', 'where clients connect', '127.0.0.1:50052')
    .option('--key <file>', 'private key of TLS, as PEM')
    .option('--certificate <file>', 'certificate of TLS, as PEM')
    .option('--insecure', 'without TLS, which SiLA forbids outside of tests')
    .option('--originator <name>', 'who defines the feature, as a domain backwards', 'org.example')
    .option(
      '--announce',
      'announce the server in the network by multicast DNS, until this command is stopped',
    )
    .option(
      '--interface <address>',
      'with --announce: address of this computer in the network to announce in (default: that of --listen)',
    )
    .option('--by <name>', 'for whom the device is called and reserved (default: the user of this computer)')
    .action((name: string, flags: OfferFlags) =>
      atService(flags, async (client) => {
        await offer(client, deviceNamed(name), flags);
        return [];
      }),
    );
}

async function offer(
  client: ApiClient,
  named: { lab: string; device: string },
  flags: OfferFlags,
): Promise<void> {
  const { lab, device } = named;
  const path = { lab_id: lab, device_id: device };
  const [host, port] = listenAddress(flags.listen);
  const keys = keysOf(flags);
  if (flags.interface !== undefined && flags.announce !== true)
    throw new UsageError('--interface says where the server is announced: give --announce too');
  const { type, functions } = await client.get('/api/labs/{lab_id}/devices/{device_id}', { path });
  const by = person(flags);
  const sila = await import('@lab/sila');
  const feature = sila.deviceFeature(
    type,
    flags.originator,
    functions as unknown as Parameters<typeof sila.deviceFeature>[2],
    async (function_name: string, body: JsonObject): Promise<JsonValue> => {
      const timeoutS = functions.find((each) => each.name === function_name)?.timeout_s ?? defaultTimeoutS;
      const returned: unknown = await client.post('/api/rpc/{lab_id}/{device_id}/{function_name}', {
        path: { ...path, function_name },
        query: { by },
        body,
        timeoutMs: timeoutS * 1_000 + answerMs,
      });
      return (returned ?? null) as JsonValue;
    },
  );
  const lock = new sila.DeviceLock(
    {
      heldBy: async () => (await client.get('/api/labs/{lab_id}/devices/{device_id}', { path })).held_by,
      reserve: async (seconds) => {
        const now = Date.now();
        const [from, to] = [now, now + seconds * 1_000].map((ms) => new Date(ms).toISOString()) as [
          string,
          string,
        ];
        const reason = 'a client of SiLA has locked it';
        return (await client.post('/api/reservations', { body: { lab, device, from, to, reason, by } })).id;
      },
      end: async (id) => {
        await client.post('/api/reservations/{id}/end', { path: { id }, body: { by } });
      },
    },
    sila.fullIdentifierOf(feature),
  );
  const identity = {
    uuid: uuidOf(`${lab}.${device}`),
    name: `${lab}.${device}`,
    type: 'LaboratoryDevice',
    description: `The device ${device} of the laboratory ${lab}`,
    version: '1.0',
    vendorUrl: 'https://sila-standard.com',
  };
  const server = new sila.SilaServer(identity, [feature, lock], (call) => lock.guard(call));
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  let announcement: Announcement | undefined;
  try {
    const bound = await server.listen(host, port, keys);
    process.stdout.write(
      `${lab}.${device} is offered at ${host}:${bound} as the SiLA server ${identity.uuid}\n`,
    );
    if (flags.announce === true) {
      const address = { host, port: bound };
      const { certificate } = keys ?? {};
      announcement = await sila.announce(
        { ...identity, address, certificate, networkInterface: flags.interface },
        (error) => process.stderr.write(`the announcement in the network failed: ${userError(error)}\n`),
      );
      process.stdout.write(`it announces itself in the network at ${announcement.addresses.join(', ')}\n`);
    }
    await stopped;
  } finally {
    await announcement?.withdraw();
    server.close();
    await lock.close();
  }
}

function listenAddress(given: string): [host: string, port: number] {
  const [, host = '', port = ''] = /^\[?([^\s\]]+)\]?:(\d{1,5})$/.exec(given) ?? [];
  if (host === '') throw new UsageError(`--listen ${given}: write host:port, as in 127.0.0.1:50052`);
  return [host, Number(port)];
}

function keysOf({ key, certificate, insecure }: OfferFlags): ServedKeys | undefined {
  if (key !== undefined && certificate !== undefined && insecure !== true)
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  if (insecure === true && key === undefined && certificate === undefined) return undefined;
  throw new UsageError('give --key and --certificate, the files of TLS, or --insecure for a test');
}

/** The same device always has the same UUID. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`svc sila ${name}`).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
