import { readFileSync } from 'node:fs';
import type { ApiClient, AttentionRecord, AttentionResolution } from '@lab/api-client';
import { attentionActions, type AttentionAction } from '@lab/contracts/vocabulary';
import { Option, type Command } from 'commander';
import {
  asks,
  facts,
  person,
  personCommand,
  seconds,
  serviceCommand,
  table,
  tableOf,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

/** Commands with which people answer the questions that only a person can answer. */
export function addAttentionCommands(program: Command): void {
  const attention = program
    .command('attention')
    .description('list and resolve what only a person can decide');
  asks(
    serviceCommand(
      attention,
      'list [item]',
      'list the open attention items, or show one by its id or subject',
      { isDefault: true },
    ).option('--all', 'also resolved items'),
    (
      client,
      { all }: ServiceFlags & { all?: boolean },
      item?: string,
    ): Promise<AttentionRecord | AttentionRecord[]> =>
      item === undefined
        ? client.all('/api/attention', { query: { limit: 500, ...(all === true ? {} : { state: 'open' }) } })
        : itemNamed(client, item),
    (found) => (Array.isArray(found) ? listLines(found) : attentionLines(found)),
  );
  asks(
    serviceCommand(attention, 'show <item>', 'show an attention item, by its id or subject'),
    (client, _flags: ServiceFlags, item: string) => itemNamed(client, item),
    attentionLines,
  );
  asks(
    personCommand(attention, 'resolve <item>', 'resolve an attention item, by its id or subject')
      .addOption(
        new Option('--action <action>', 'the decision').choices([...attentionActions]).makeOptionMandatory(),
      )
      .option('--note <text>', 'reason, for the audit')
      .option(
        '--outputs <file>',
        'for a completed task: JSON file with output_parameters and output_resources',
      ),
    (client, { action, outputs, ...flags }: Decision & { outputs?: string }, item: string) =>
      resolved(client, item, action, flags, outputs === undefined ? {} : readOutputs(outputs)),
    ({ subject }, { action }) => [`${subject}: ${action}`],
  );
  asks(
    personCommand(
      attention,
      'claim <item>',
      'say that you are deciding an attention item, by its id or subject, for 10 min; repeat it to renew it',
    ).option('--take-over', 'also if another person is deciding it'),
    async (client, { takeOver = false, ...flags }: PersonFlags & { takeOver?: boolean }, item: string) => {
      const { id } = await itemNamed(client, item);
      const body = { by: person(flags), take_over: takeOver };
      return client.post('/api/attention/{id}/claim', { path: { id }, body });
    },
    ({ subject, claim }) => [`${subject}: ${claimWords(claim)}`],
  );
  asks(
    personCommand(
      attention,
      'release <item>',
      'say that you are not deciding an attention item any more, by its id or subject',
    ),
    async (client, flags: PersonFlags, item: string) => {
      const { id } = await itemNamed(client, item);
      return client.delete('/api/attention/{id}/claim', { path: { id }, query: { by: person(flags) } });
    },
    ({ subject }) => [`${subject}: released`],
  );
}

interface Decision extends PersonFlags {
  action: AttentionAction;
  note?: string;
}

/** Resolves the item with an id, or the open item with a subject. */
export async function resolved(
  client: ApiClient,
  item: string,
  action: AttentionAction,
  { note, ...flags }: PersonFlags & { note?: string },
  outputs: Outputs = {},
): Promise<AttentionRecord> {
  const { id } = await itemNamed(client, item, action);
  const body = { action, by: person(flags), ...(note === undefined ? {} : { note }), ...outputs };
  return client.post('/api/attention/{id}/resolve', { path: { id }, body });
}

/**
 * Finds an item by its id, or an open item by its subject.
 *
 * @param action only items for which it is possible count, if several have the subject
 * @throws ProblemError `not_found`; UsageError when several open items have the subject
 */
async function itemNamed(
  client: ApiClient,
  idOrSubject: string,
  action?: AttentionAction,
): Promise<AttentionRecord> {
  const open = (await client.all('/api/attention', { query: { state: 'open', limit: 500 } })).filter(
    ({ subject }) => subject === idOrSubject,
  );
  const fitting = open.filter(({ actions }) => action === undefined || actions.includes(action));
  const bySubject = fitting.length === 0 ? open : fitting;
  const [only, ...others] = bySubject;
  if (only === undefined) return client.get('/api/attention/{id}', { path: { id: idOrSubject } });
  if (others.length === 0) return only;
  throw new UsageError(
    `several items are about ${idOrSubject}: ${bySubject.map(({ id }) => id).join(', ')}; name one by its id`,
  );
}

type Outputs = Pick<AttentionResolution, 'output_parameters' | 'output_resources'>;

/** @throws UsageError with the name and the fault of the file */
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

const itemTable = tableOf<AttentionRecord>('nothing needs attention', {
  SUBJECT: ({ subject }) => subject,
  SINCE: (item) => seconds(item.opened_at),
  REASON: ({ reason }) => reason.code,
  ACTIONS: ({ actions, resolution }) => resolution?.action ?? (actions.join(', ') || '-'),
  ID: ({ id }) => id,
});

function listLines(items: readonly AttentionRecord[]): string[] {
  const advised = items.filter(({ state }) => state === 'open');
  return [...itemTable(items), ...advised.flatMap((item) => ['', item.subject, ...adviceLines(item)])];
}

/** Why a person is asked, who is deciding, what to look at, and what each decision leads to. */
function adviceLines({ reason, claim, look_at: places, choices }: AttentionRecord): string[] {
  return table([
    ['  why', reason.message],
    ...(claim === null ? [] : [['  claim', claimWords(claim)]]),
    ...places.map((place) => ['  look at', place]),
    ...choices.map(({ action, effect }) => [`  ${action}`, effect]),
  ]);
}

function attentionLines(item: AttentionRecord): string[] {
  const { resolution } = item;
  return [
    `${item.kind} ${item.subject}: ${item.state}`,
    ...facts({
      id: item.id,
      since: seconds(item.opened_at),
      reason: item.reason.code,
      attempt: item.attempt === null ? null : String(item.attempt),
      computer: item.computer,
      resolved:
        resolution === null
          ? null
          : `${resolution.action ?? 'no decision needed'}, by ${resolution.by} at ${seconds(item.resolved_at ?? '')}`,
      note: resolution?.note ?? null,
    }),
    ...adviceLines(item),
    ...knownLines(item.known),
  ];
}

function claimWords(claim: AttentionRecord['claim']): string {
  return claim === null ? 'nobody is deciding' : `${claim.by} is deciding until ${seconds(claim.until)}`;
}

function knownLines(known: object): string[] {
  const text = JSON.stringify(known, null, 2).split('\n').slice(1, -1);
  return text.length === 0 ? [] : ['  known', ...text.map((line) => `  ${line}`)];
}
