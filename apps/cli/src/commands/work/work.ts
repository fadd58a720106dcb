import { Argument, type Command } from 'commander';
import type { ApiClient } from '@lab/api-client';
import { watchWork } from '../../watch/watch-work.js';
import { workKinds, type Work, type WorkKind } from '../../watch/work.js';
import { itemNamed } from '../operating/attention.js';
import {
  atService,
  json,
  person,
  withJson,
  withPerson,
  withUrl,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';

const taskOfRun: [string, string] = ['--run <name>', 'of a task: the protocol run it belongs to'];

/** Commands by which people follow work and change its course. */
export function addWorkCommands(program: Command): void {
  withJson(withUrl(program.command('watch')))
    .description('follow work to its end; the exit code is 1 when it does not complete')
    .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
    .argument('<name>', 'its name')
    .option(...taskOfRun)
    .action((kind: WorkKind, name: string, flags: ServiceFlags & { run?: string }) =>
      atService(flags, (client) => watched(client, { kind, name, run: flags.run }, flags)),
    );
  withJson(withUrl(program.command('cancel')))
    .description('cancel work: running tasks are stopped, queued tasks do not start')
    .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
    .argument('<name>', 'its name')
    .option(...taskOfRun)
    .action((kind: WorkKind, name: string, flags: ServiceFlags & { run?: string }) =>
      atService(flags, async (client) =>
        told(await cancelled(client, { kind, name, run: flags.run }), flags),
      ),
    );
  withJson(withUrl(program.command('prioritize')))
    .description('change the priority of work that has not ended')
    .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
    .argument('<name>', 'its name')
    .argument('<priority>', 'whole number; work with a higher priority starts first')
    .option(...taskOfRun)
    .action((kind: WorkKind, name: string, priority: string, flags: ServiceFlags & { run?: string }) =>
      atService(flags, async (client) =>
        told(await prioritized(client, { kind, name, run: flags.run }, wholeNumber(priority)), flags),
      ),
    );
  for (const verb of ['pause', 'resume'] as const) {
    withPerson(withJson(withUrl(program.command(verb))))
      .description(
        verb === 'pause'
          ? 'start nothing more of a protocol run or campaign'
          : 'go on with what is paused, failed or was cancelled',
      )
      .addArgument(new Argument('<kind>', 'what it is').choices(['protocol', 'campaign']))
      .argument('<name>', 'its name')
      .action((kind: 'protocol' | 'campaign', name: string, flags: PersonFlags) =>
        atService(flags, async (client) => {
          const body = { by: person(flags) };
          const record =
            kind === 'protocol'
              ? await client.post(`/api/protocols/{protocol_run_name}/${verb}`, {
                  path: { protocol_run_name: name },
                  body,
                })
              : await client.post(`/api/campaigns/{campaign_name}/${verb}`, {
                  path: { campaign_name: name },
                  body,
                });
          return told(record, flags);
        }),
      );
  }
  withPerson(withJson(withUrl(program.command('retry'))))
    .description('retry a task that has an attention item, by the id or subject of the item')
    .argument('<item>', 'for example mix_1/mix_colors')
    .option('--note <text>', 'reason, for the audit')
    .action((item: string, flags: PersonFlags & { note?: string }) =>
      atService(flags, async (client) => {
        const { id } = await itemNamed(client, item);
        const resolved = await client.post('/api/attention/{id}/resolve', {
          path: { id },
          body: {
            action: 'retry',
            by: person(flags),
            ...(flags.note === undefined ? {} : { note: flags.note }),
          },
        });
        return flags.json === true ? json(resolved) : [`${resolved.subject}: retry`];
      }),
    );
}

/**
 * Shows work until it ends; the exit code says whether it completed. Ctrl-C ends the watching alone.
 *
 * @returns what is printed at the end
 */
export async function watched(client: ApiClient, work: Work, flags: ServiceFlags): Promise<string[]> {
  const output = flags.json === true ? process.stderr : process.stdout;
  const { record } = await watchWork(client, work, output);
  if (record.state !== 'completed') process.exitCode = exitCodes.failed;
  return flags.json === true ? json(record) : [];
}

function cancelled(client: ApiClient, { kind, name, run }: Work): Promise<{ name: string; state: string }> {
  switch (kind) {
    case 'protocol':
      return client.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: name } });
    case 'campaign':
      return client.post('/api/campaigns/{campaign_name}/cancel', { path: { campaign_name: name } });
    case 'task':
      return client.post('/api/tasks/{task_name}/cancel', {
        path: { task_name: name },
        query: run === undefined ? {} : { protocol_run_name: run },
      });
  }
}

function prioritized(
  client: ApiClient,
  { kind, name, run }: Work,
  priority: number,
): Promise<{ name: string; state: string }> {
  const body = { priority };
  switch (kind) {
    case 'protocol':
      return client.patch('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name }, body });
    case 'campaign':
      return client.patch('/api/campaigns/{campaign_name}', { path: { campaign_name: name }, body });
    case 'task':
      return client.patch('/api/tasks/{task_name}', {
        path: { task_name: name },
        query: run === undefined ? {} : { protocol_run_name: run },
        body,
      });
  }
}

/** @throws UsageError */
function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`${text} is not a whole number`);
  return Number(text);
}

function told(record: { name: string; state: string }, flags: ServiceFlags): string[] {
  return flags.json === true ? json(record) : [`${record.name}: ${record.state}`];
}
