import { readFileSync } from 'node:fs';
import type { ApiClient, AttentionRecord, AttentionResolution } from '@lab/api-client';
import { attentionActions, type AttentionAction } from '@lab/contracts';
import { Option, type Command } from 'commander';
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
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

/** Commands by which people settle what only a person can. */
export function addAttentionCommands(program: Command): void {
  const attention = program
    .command('attention')
    .description('list and resolve what only a person can decide');
  withJson(withUrl(attention.command('list', { isDefault: true })))
    .description('list the open attention items')
    .option('--all', 'also resolved items')
    .action((flags: PersonFlags & { all?: boolean }) =>
      atService(flags, async (client) => {
        const query = flags.all === true ? { limit: 500 } : { limit: 500, state: 'open' as const };
        const items = await client.all('/api/attention', { query });
        if (flags.json === true) return json(items);
        return items.length === 0
          ? ['nothing needs attention']
          : table([attentionHeader, ...items.map(attentionRow)]);
      }),
    );
  withJson(withUrl(attention.command('show <item>')))
    .description('show an attention item, by its id or subject')
    .action((item: string, flags: PersonFlags) =>
      atService(flags, async (client) => {
        const found = await itemNamed(client, item);
        return flags.json === true ? json(found) : attentionLines(found);
      }),
    );
  withPerson(withJson(withUrl(attention.command('resolve <item>'))))
    .description('resolve an attention item, by its id or subject')
    .addOption(
      new Option('--action <action>', 'the decision').choices([...attentionActions]).makeOptionMandatory(),
    )
    .option('--note <text>', 'reason, for the audit')
    .option('--outputs <file>', 'for a completed task: JSON file with output_parameters and output_resources')
    .action(
      (item: string, flags: PersonFlags & { action: AttentionAction; note?: string; outputs?: string }) =>
        atService(flags, async (client) => {
          const outputs = flags.outputs === undefined ? {} : readOutputs(flags.outputs);
          const { id } = await itemNamed(client, item);
          const resolved = await client.post('/api/attention/{id}/resolve', {
            path: { id },
            body: {
              action: flags.action,
              by: person(flags),
              ...(flags.note === undefined ? {} : { note: flags.note }),
              ...outputs,
            },
          });
          return flags.json === true ? json(resolved) : [`${resolved.subject}: ${flags.action}`];
        }),
    );
}

/**
 * An item by its id, or an open one by its subject.
 *
 * @throws ProblemError `not_found`; UsageError when several open items have the subject
 */
export async function itemNamed(client: ApiClient, idOrSubject: string): Promise<AttentionRecord> {
  const bySubject = (await client.all('/api/attention', { query: { state: 'open', limit: 500 } })).filter(
    ({ subject }) => subject === idOrSubject,
  );
  const [only, ...others] = bySubject;
  if (only === undefined) return client.get('/api/attention/{id}', { path: { id: idOrSubject } });
  if (others.length === 0) return only;
  throw new UsageError(
    `several items are about ${idOrSubject}: ${bySubject.map(({ id }) => id).join(', ')}; name one by its id`,
  );
}

type Outputs = Pick<AttentionResolution, 'output_parameters' | 'output_resources'>;

/** @throws UsageError that names the file and what is wrong with it */
function readOutputs(file: string): Outputs {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`the outputs cannot be read from ${file}: ${userError(error)}`, { cause: error });
  }
  const keys = ['output_parameters', 'output_resources'];
  const right = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!right || Object.keys(value as object).some((key) => !keys.includes(key)))
    throw new UsageError(`${file} must hold a JSON object with nothing but ${keys.join(' and ')}`);
  return value as Outputs;
}

const attentionHeader = ['SUBJECT', 'SINCE', 'REASON', 'ACTIONS', 'ID'];

function attentionRow({
  subject,
  opened_at: at,
  reason,
  actions,
  resolution,
  id,
}: AttentionRecord): string[] {
  return [subject, seconds(at), reason.code, resolution?.action ?? (actions.join(', ') || '-'), id];
}

function attentionLines(item: AttentionRecord): string[] {
  const { resolution } = item;
  const told: [string, string | null][] = [
    ['id', item.id],
    ['since', seconds(item.opened_at)],
    ['reason', `${item.reason.code}: ${item.reason.message}`],
    ['attempt', item.attempt === null ? null : String(item.attempt)],
    ['computer', item.computer],
    ['actions', item.actions.join(', ') || null],
    [
      'resolved',
      resolution === null
        ? null
        : `${resolution.action ?? 'no decision needed'}, by ${resolution.by} at ${seconds(item.resolved_at ?? '')}`,
    ],
    ['note', resolution?.note ?? null],
  ];
  return [
    `${item.kind} ${item.subject}: ${item.state}`,
    ...table(told.flatMap(([name, value]) => (value === null ? [] : [[`  ${name}`, value]]))),
    ...knownLines(item.known),
  ];
}

function knownLines(known: object): string[] {
  const text = JSON.stringify(known, null, 2).split('\n').slice(1, -1);
  return text.length === 0 ? [] : ['  known', ...text.map((line) => `  ${line}`)];
}
