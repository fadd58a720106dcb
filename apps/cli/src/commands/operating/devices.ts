import type { Command } from 'commander';
import type { DeviceDetail } from '@lab/api-client';
import {
  asks,
  atService,
  json,
  person,
  personCommand,
  seconds,
  withUrl,
  type PersonFlags,
} from '../at-service.js';
import { jsonObjectOf } from '../json-object.js';
import { momentOf } from '../moments.js';
import { deviceNamed } from './device-filter.js';
import { addDiscoverCommand } from './device-discover.js';
import { addOfferCommand } from './device-offer.js';
import { addTrafficCommands } from './device-traffic.js';

interface DisableFlags extends PersonFlags {
  reason: string;
  until?: string;
}

interface RpcFlags extends PersonFlags {
  reason?: string;
}

/** Commands with which people use instruments directly. */
export function addDeviceCommands(program: Command): void {
  const device = program
    .command('device')
    .description(
      'take devices out of service, put them back, restart them, record their traffic, offer them to others, find new ones',
    );
  addServiceCommands(device);
  addTrafficCommands(device);
  addOfferCommand(device);
  addDiscoverCommand(device);
  withUrl(program.command('rpc'))
    .description('call a function of a device at once, without the queue, and print its result as JSON')
    .argument('<lab>', 'name of the laboratory')
    .argument('<device>', 'name of the device')
    .argument('<function>', 'a function that the device declares')
    .argument('[parameters]', 'JSON object of parameter names and values')
    .option('--by <name>', 'who calls, for the record (default: the user of this computer)')
    .option('--reason <text>', 'call also while a task has the device, for this reason')
    .action((lab: string, device: string, name: string, parameters: string | undefined, flags: RpcFlags) =>
      atService(flags, async (client) => {
        const body = jsonObjectOf(parameters ?? '{}', 'the parameters', '{"volume": 2.5}');
        const returned: unknown = await client.post('/api/rpc/{lab_id}/{device_id}/{function_name}', {
          path: { lab_id: lab, device_id: device, function_name: name },
          query: {
            by: person(flags),
            ...(flags.reason === undefined ? {} : { force: true, reason: flags.reason }),
          },
          body,
          timeoutMs: longestCallMs,
        });
        return json(returned);
      }),
    );
}

function addServiceCommands(device: Command): void {
  const disable =
    'take a device out of service: no task starts on it, and a running one continues to its end';
  asks(
    personCommand(device, 'disable <lab.device>', disable)
      .requiredOption('--reason <text>', 'why, for those who wait')
      .option('--until <time>', 'it comes back by itself: 30m, 2h, 3d, 18:00 or 2026-11-23T18:00'),
    (client, flags: DisableFlags, name: string) => {
      const { reason, until } = flags;
      return client.post('/api/labs/{lab_id}/devices/{device_id}/disable', {
        path: pathOf(name),
        body: { reason, by: person(flags), ...(until === undefined ? {} : { until: momentOf(until) }) },
      });
    },
    serviceLines,
  );
  asks(
    personCommand(device, 'enable <lab.device>', 'put a device back into service'),
    (client, flags: PersonFlags, name: string) =>
      client.post('/api/labs/{lab_id}/devices/{device_id}/enable', {
        path: pathOf(name),
        body: { by: person(flags) },
      }),
    serviceLines,
  );
  asks(
    personCommand(
      device,
      'restart <lab.device>',
      'end the process of a device in order and start a new one',
    ).requiredOption('--reason <text>', 'why, for the audit'),
    (client, flags: PersonFlags & { reason: string }, name: string) =>
      client.post('/api/labs/{lab_id}/devices/{device_id}/restart', {
        path: pathOf(name),
        body: { reason: flags.reason, by: person(flags) },
      }),
    ({ lab_name: lab, name, state }) => [`${lab}.${name}: the restart has begun, ${state}`],
  );
}

function pathOf(name: string): { lab_id: string; device_id: string } {
  const { lab, device } = deviceNamed(name);
  return { lab_id: lab, device_id: device };
}

function serviceLines(device: DeviceDetail): string[] {
  const { lab_name: lab, name, state, held_by: holder } = device;
  const outage = outageText(device);
  return [
    `${lab}.${name}: ${outage ?? `in service, ${state}`}`,
    ...(outage === null || holder === null ? [] : [`${holder} has it and continues to its end`]),
  ];
}

/** Who took a device out of service, in one line; null: it is in service. */
export function outageText({ out_of_service: outage }: Pick<DeviceDetail, 'out_of_service'>): string | null {
  if (outage === null) return null;
  const { by, reason, until } = outage;
  return `out of service by ${by}${until === null ? '' : ` until ${seconds(until)}`}: ${reason}`;
}

/** Milliseconds to wait for the result of a call: as long as Node waits for the head of an answer. */
const longestCallMs = 300_000;
