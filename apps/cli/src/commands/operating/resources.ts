import type { ResourceRecord, ResourceUse } from '@lab/api-client';
import type { Command } from 'commander';
import {
  asks,
  person,
  personCommand,
  seconds,
  serviceCommand,
  tableOf,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { jsonObjectOf } from '../json-object.js';

/** `svc resources`. */
export function addResourceCommands(program: Command): void {
  const resources = program.command('resources').description('beakers, plates and samples, and their data');
  const list = 'list resources and the work that uses or holds them';
  asks(
    serviceCommand(resources, 'list', list, { isDefault: true })
      .option('--lab <name>', 'only resources of this laboratory')
      .option('--type <type>', 'only resources of this type')
      .allowExcessArguments(false),
    (client, { lab, type }: ServiceFlags & { lab?: string; type?: string }) =>
      client.all('/api/resources', { query: { lab, type } }),
    tableOf<ResourceRecord>('no resources', {
      NAME: ({ name }) => name,
      TYPE: ({ type }) => type,
      LAB: ({ lab }) => lab,
      'USED BY': (resource) => resource.used_by ?? '-',
      'HELD BY': (resource) => resource.held_by ?? '-',
      DATA: ({ meta }) => JSON.stringify(meta),
    }),
  );
  const history = 'list the tasks that used a resource, the data that they left, and its resets';
  asks(
    serviceCommand(resources, 'history <name>', history).option(
      '--limit <count>',
      'most entries, 1 to 500 (default 100)',
    ),
    async (client, { limit }: ServiceFlags & { limit?: string }, name: string) => {
      const query = limit === undefined ? {} : { limit: Number(limit) };
      const path = { resource_name: name };
      return (await client.get('/api/resources/{resource_name}/history', { path, query })).items;
    },
    tableOf<ResourceUse>('no task has had it', {
      WHEN: (use) => seconds(use.started_at),
      BY: (use) => (use.kind === 'task' ? labelOf(use) : `${use.kind} by ${use.by ?? ''}`),
      BEFORE: ({ taken }) => JSON.stringify(taken),
      AFTER: ({ left }) => (left === null ? '-' : JSON.stringify(left)),
      REASON: ({ reason }) => reason ?? '',
    }),
  );
  asks(
    personCommand(resources, 'reset <name>', 'reset the data of a resource to the values in its lab file')
      .option('--reason <text>', 'why')
      .option('--force', 'even while a task or a run has the resource; needs a reason'),
    (client, flags: PersonFlags & { reason?: string; force?: boolean }, name: string) => {
      const { reason, force = false } = flags;
      return client.post('/api/resources/{resource_name}/reset', {
        path: { resource_name: name },
        body: { by: person(flags), force, ...(reason === undefined ? {} : { reason }) },
      });
    },
    ({ name, meta }) => [`${name}: ${JSON.stringify(meta)}`],
  );
  addSetCommand(resources);
}

function addSetCommand(resources: Command): void {
  asks(
    personCommand(resources, 'set <name> <data>', 'change the data of a resource; other values stay')
      .addHelpText('after', '\n<data> is a JSON object: {"ml": 12.5}. A null removes the value of that name.')
      .option('--reason <text>', 'why')
      .option('--force', 'even while a task or a run has the resource; needs a reason'),
    (client, flags: PersonFlags & { reason?: string; force?: boolean }, name: string, data: string) => {
      const { reason, force = false } = flags;
      const meta = jsonObjectOf(data, 'the data', '{"ml": 12.5}');
      return client.patch('/api/resources/{resource_name}', {
        path: { resource_name: name },
        body: { meta, by: person(flags), force, ...(reason === undefined ? {} : { reason }) },
      });
    },
    ({ name, meta }) => [`${name}: ${JSON.stringify(meta)}`],
  );
}

function labelOf({ protocol_run: run, task }: ResourceUse): string {
  return run === null ? (task ?? '') : `${run}/${task ?? ''}`;
}
