import type { ApiClient } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import { workKinds, type WorkKind } from '../../watch/work.js';
import { atService, json, person, withJson, withPerson, withUrl, type PersonFlags } from '../at-service.js';

const descriptions = {
  archive: 'take work that is over, with all that belongs to it, out of the lists',
  restore: 'bring archived work back into the lists',
} as const;

/** `svc archive` and `svc restore`. */
export function addArchiveCommands(program: Command): void {
  for (const verb of ['archive', 'restore'] as const)
    withPerson(withJson(withUrl(program.command(verb))))
      .description(descriptions[verb])
      .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
      .argument('<name>', 'its name')
      .action((kind: WorkKind, name: string, flags: PersonFlags) =>
        atService(flags, async (client) => {
          const record = await moved(client, verb, kind, name, person(flags));
          return flags.json === true ? json(record) : [`${record.name}: ${verb}d`];
        }),
      );
}

function moved(
  client: ApiClient,
  verb: 'archive' | 'restore',
  kind: WorkKind,
  name: string,
  by: string,
): Promise<{ name: string; archived_at: string | null }> {
  const body = { by };
  switch (kind) {
    case 'protocol':
      return client.post(`/api/protocols/{protocol_run_name}/${verb}`, {
        path: { protocol_run_name: name },
        body,
      });
    case 'campaign':
      return client.post(`/api/campaigns/{campaign_name}/${verb}`, { path: { campaign_name: name }, body });
    case 'task':
      return client.post(`/api/tasks/{task_name}/${verb}`, { path: { task_name: name }, body });
  }
}
