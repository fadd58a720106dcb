import { readFileSync } from 'node:fs';
import {
  attentionActions,
  type AttentionAction,
  type AttentionRecord,
  type AttentionResolution,
  type JsonObject,
} from '@lab/contracts';
import { Option, type Command } from 'commander';
import type { Client } from '../client.js';
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
} from './at-service.js';
import { userError } from './user-error.js';

/** Commands by which people settle what only a person can. */
export function addAttentionCommands(program: Command): void {
  const attention = program.command('attention').description('what only a person can settle');
  withJson(withUrl(attention.command('list', { isDefault: true })))
    .description('list what is open')
    .option('--all', 'also what is resolved')
    .action((flags: PersonFlags & { all?: boolean }) =>
      atService(flags, async (client) => {
        const items = await client.attention(flags.all === true ? undefined : 'open');
        if (flags.json === true) return json(items);
        return items.length === 0
          ? ['nothing needs attention']
          : table([attentionHeader, ...items.map(attentionRow)]);
      }),
    );
  withJson(withUrl(attention.command('show <item>')))
    .description('show what is known of one, by its id or subject')
    .action((item: string, flags: PersonFlags) =>
      atService(flags, async (client) => {
        const found = await itemNamed(client, item);
        return flags.json === true ? json(found) : attentionLines(found);
      }),
    );
  withPerson(withJson(withUrl(attention.command('resolve <item>'))))
    .description('settle one, by its id or subject')
    .addOption(
      new Option('--action <action>', 'what is decided').choices([...attentionActions]).makeOptionMandatory(),
    )
    .option('--note <text>', 'why, for the audit')
    .option('--outputs <file>', 'of a completed task: JSON with output_parameters and output_resources')
    .action(
      (item: string, flags: PersonFlags & { action: AttentionAction; note?: string; outputs?: string }) =>
        atService(flags, async (client) => {
          const outputs = flags.outputs === undefined ? {} : readOutputs(flags.outputs);
          const { id } = await itemNamed(client, item);
          const resolved = await client.resolveAttention(id, {
            action: flags.action,
            by: person(flags),
            ...(flags.note === undefined ? {} : { note: flags.note }),
            ...outputs,
          });
          return flags.json === true ? json(resolved) : [`${resolved.subject}: ${flags.action}`];
        }),
    );
}

/**
 * An item by its id, or an open one by its subject.
 *
 * @throws ProblemError `not_found`; Error when several open items have the subject
 */
async function itemNamed(client: Client, idOrSubject: string): Promise<AttentionRecord> {
  const bySubject = (await client.attention('open')).filter(({ subject }) => subject === idOrSubject);
  const [only, ...others] = bySubject;
  if (only === undefined) return client.attentionItem(idOrSubject);
  if (others.length === 0) return only;
  throw new Error(
    `several items are about ${idOrSubject}: ${bySubject.map(({ id }) => id).join(', ')}; name one by its id`,
  );
}

type Outputs = Pick<AttentionResolution, 'output_parameters' | 'output_resources'>;

/** @throws Error that names the file and what is wrong with it */
function readOutputs(file: string): Outputs {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`the outputs cannot be read from ${file}: ${userError(error)}`, { cause: error });
  }
  const keys = ['output_parameters', 'output_resources'];
  const right = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!right || Object.keys(value as object).some((key) => !keys.includes(key)))
    throw new Error(`${file} must hold a JSON object with nothing but ${keys.join(' and ')}`);
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

function knownLines(known: JsonObject): string[] {
  const text = JSON.stringify(known, null, 2).split('\n').slice(1, -1);
  return text.length === 0 ? [] : ['  known', ...text.map((line) => `  ${line}`)];
}
