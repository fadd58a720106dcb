import type { ResourceRecord, ResourceUse } from '@lab/api-client';
import type { Command } from 'commander';
import {
  atService,
  json,
  person,
  seconds,
  table,
  withJson,
  withPerson,
  withUrl,
  type PersonFlags,
} from '../at-service.js';

/** `svc resources`. */
export function addResourceCommands(program: Command): void {
  const resources = program.command('resources').description('beakers, plates and samples, and their data');
  withJson(withUrl(resources.command('list', { isDefault: true })))
    .description('list resources and the work that uses or holds them')
    .option('--lab <name>', 'only resources of this laboratory')
    .option('--type <type>', 'only resources of this type')
    .allowExcessArguments(false)
    .action((flags: PersonFlags & { lab?: string; type?: string }) =>
      atService(flags, async (client) => {
        const query = { lab: flags.lab, type: flags.type };
        const items = await client.all('/api/resources', { query });
        if (flags.json === true) return json(items);
        return items.length === 0 ? ['no resources'] : table([resourceHeader, ...items.map(resourceRow)]);
      }),
    );
  withJson(withUrl(resources.command('history <name>')))
    .description('list the tasks that used a resource, the data that they left, and its resets')
    .option('--limit <count>', 'most entries, 1 to 500 (default 100)')
    .action((name: string, flags: PersonFlags & { limit?: string }) =>
      atService(flags, async (client) => {
        const { items } = await client.get('/api/resources/{resource_name}/history', {
          path: { resource_name: name },
          query: flags.limit === undefined ? {} : { limit: Number(flags.limit) },
        });
        if (flags.json === true) return json(items);
        return items.length === 0 ? ['no task has had it'] : table([useHeader, ...items.map(useRow)]);
      }),
    );
  withPerson(withJson(withUrl(resources.command('reset <name>'))))
    .description('reset the data of a resource to the values in its lab file')
    .option('--reason <text>', 'why')
    .option('--force', 'even while a task or a run has the resource; needs a reason')
    .action((name: string, flags: PersonFlags & { reason?: string; force?: boolean }) =>
      atService(flags, async (client) => {
        const record = await client.post('/api/resources/{resource_name}/reset', {
          path: { resource_name: name },
          body: {
            by: person(flags),
            force: flags.force === true,
            ...(flags.reason === undefined ? {} : { reason: flags.reason }),
          },
        });
        return flags.json === true ? json(record) : [`${record.name}: ${JSON.stringify(record.meta)}`];
      }),
    );
}

const resourceHeader = ['NAME', 'TYPE', 'LAB', 'USED BY', 'HELD BY', 'DATA'];

function resourceRow(resource: ResourceRecord): string[] {
  const { name, type, lab, used_by: user, held_by: holder, meta } = resource;
  return [name, type, lab, user ?? '-', holder ?? '-', JSON.stringify(meta)];
}

const useHeader = ['WHEN', 'BY', 'BEFORE', 'AFTER', 'REASON'];

function useRow(use: ResourceUse): string[] {
  const label = use.protocol_run === null ? use.task : `${use.protocol_run}/${use.task ?? ''}`;
  return [
    seconds(use.started_at),
    use.kind === 'reset' ? `reset by ${use.by ?? ''}` : (label ?? ''),
    JSON.stringify(use.taken),
    use.left === null ? '-' : JSON.stringify(use.left),
    use.reason ?? '',
  ];
}
