import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import {
  attentionActions,
  type AttentionAction,
  type AttentionRecord,
  type AttentionResolution,
  type EmergencyStopRecord,
  type JsonObject,
  type QueueRecord,
} from '@lab/contracts';
import { Option, type Command } from 'commander';
import { ProblemError, type Client } from '../client.js';
import { atService, table, withUrl, type ServiceFlags } from './at-service.js';
import { userError } from './user-error.js';

interface PersonFlags extends ServiceFlags {
  by?: string;
  json?: boolean;
}

/** Commands by which people settle, stop, pause and resume at a running service. */
export function addOperatingCommands(program: Command): void {
  addAttention(program);
  addEmergencyStop(program);
  addPauseAndResume(program);
}

function addAttention(program: Command): void {
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

function addEmergencyStop(program: Command): void {
  const estop = program
    .command('estop')
    .description('emergency stop: of everything, a laboratory or a device');
  // The default command: a mistyped subcommand is an argument too many for it, and must not stop anything.
  withPerson(withJson(withUrl(estop.command('engage', { isDefault: true }))))
    .description('stop at once')
    .option('--lab <name>', 'only this laboratory')
    .option('--device <name>', 'only this device of it')
    .option('--reason <text>', 'why')
    .allowExcessArguments(false)
    .action((flags: PersonFlags & { lab?: string; device?: string; reason?: string }) =>
      atService(flags, async (client) => {
        try {
          const stop = await client.emergencyStop({
            by: person(flags),
            ...(flags.lab === undefined ? {} : { lab_name: flags.lab }),
            ...(flags.device === undefined ? {} : { device_name: flags.device }),
            ...(flags.reason === undefined ? {} : { reason: flags.reason }),
          });
          return flags.json === true ? json(stop) : [`stopped: ${stop.scope} (${stop.id})`];
        } catch (error) {
          if (!(error instanceof ProblemError))
            process.stderr.write(
              'It is not known whether anything was stopped: use the stop switches of the instruments.\n',
            );
          throw error;
        }
      }),
    );
  withPerson(withJson(withUrl(estop.command('release [id]'))))
    .description('release one stop, or every stop in force')
    .action((id: string | undefined, flags: PersonFlags) =>
      atService(flags, async (client) => {
        const released = await client.releaseEmergencyStop({
          by: person(flags),
          ...(id === undefined ? {} : { id }),
        });
        if (flags.json === true) return json(released);
        return released.length === 0
          ? ['no stop is in force']
          : released.map((stop) => `released: ${stop.scope} (${stop.id})`);
      }),
    );
  withJson(withUrl(estop.command('list')))
    .description('list the stops in force')
    .option('--all', 'also those that are released')
    .action((flags: PersonFlags & { all?: boolean }) =>
      atService(flags, async (client) => {
        const stops = await client.emergencyStops(flags.all === true);
        if (flags.json === true) return json(stops);
        return stops.length === 0 ? ['no stop is in force'] : table([stopHeader, ...stops.map(stopRow)]);
      }),
    );
}

function addPauseAndResume(program: Command): void {
  const descriptions = {
    pause: 'start nothing more of a protocol run or campaign',
    resume: 'go on with what is paused, failed or was cancelled',
  };
  for (const verb of ['pause', 'resume'] as const) {
    const command = program.command(verb).description(descriptions[verb]);
    for (const kind of ['protocol', 'campaign'] as const) {
      withPerson(withJson(withUrl(command.command(`${kind} <name>`))))
        .description(`${verb} a ${kind === 'protocol' ? 'protocol run' : kind}`)
        .action((name: string, flags: PersonFlags) =>
          atService(flags, async (client) => {
            const record = await client.pauseOrResume(kind, name, verb, person(flags));
            return flags.json === true ? json(record) : [`${record.name}: ${record.state}`];
          }),
        );
    }
  }
  const queue = program.command('queue').description('what waits, and whether anything may start');
  withJson(withUrl(queue.command('show', { isDefault: true })))
    .description('show how much waits and runs')
    .allowExcessArguments(false)
    .action((flags: PersonFlags) =>
      atService(flags, async (client) => queueLines(await client.queue(), flags)),
    );
  for (const verb of ['pause', 'resume'] as const) {
    withPerson(withJson(withUrl(queue.command(verb))))
      .description(verb === 'pause' ? 'start nothing any more' : 'start what waits again')
      .action((flags: PersonFlags) =>
        atService(flags, async (client) =>
          queueLines(await client.pauseOrResumeQueue(verb, person(flags)), flags),
        ),
      );
  }
}

function withJson(command: Command): Command {
  return command.option('--json', 'print the record as JSON');
}

function withPerson(command: Command): Command {
  return command.option('--by <name>', 'who decides, for the audit (default: the user of this computer)');
}

/** Who is recorded: the name given, else the account of the computer; undefined leaves it to the service. */
function person({ by }: PersonFlags): string {
  return by ?? userInfo().username;
}

function json(value: unknown): string[] {
  return [JSON.stringify(value, null, 2)];
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
  return [subject, seconds(at), reason.code, resolution?.action ?? actions.join(', '), id];
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
        : `${resolution.action} by ${resolution.by} at ${seconds(item.resolved_at ?? '')}`,
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

const stopHeader = ['SCOPE', 'SINCE', 'BY', 'REASON', 'RELEASED', 'ID'];

function stopRow(stop: EmergencyStopRecord): string[] {
  const released =
    stop.released_at === null ? '' : `${seconds(stop.released_at)} by ${stop.released_by ?? ''}`;
  return [stop.scope, seconds(stop.engaged_at), stop.by, stop.reason, released, stop.id];
}

function queueLines(queue: QueueRecord, { json: asJson }: PersonFlags): string[] {
  if (asJson === true) return json(queue);
  const { paused, paused_by: by, paused_at: at, queued, running } = queue;
  return [
    `${queued} waiting, ${running} running`,
    ...(paused
      ? [`paused by ${by ?? ''} since ${seconds(at ?? '')}: nothing starts until svc queue resume`]
      : []),
  ];
}

/** `2026-11-20T09:31:00.123Z` as `2026-11-20 09:31:00Z`. */
function seconds(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
