import type { DeletionRecord } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import { atWork, workKinds, type WorkKind } from '../../watch/work.js';
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

interface DeleteFlags extends PersonFlags {
  reason: string;
  files?: boolean;
}

/** `svc delete`, `svc keep` and `svc deletions`. */
export function addDeletionCommands(program: Command): void {
  const kind = (): Argument => new Argument('<kind>', 'what it is').choices(workKinds);
  asks(
    personCommand(program, 'delete', 'delete work that is over, with all that belongs to it, after a delay')
      .addArgument(kind())
      .argument('<name>', 'its name')
      .requiredOption('--reason <text>', 'why, for the audit')
      .option('--files', 'delete only the files; the records stay'),
    (client, flags: DeleteFlags, kind: WorkKind, name: string) => {
      const what = flags.files === true ? 'files' : 'everything';
      const body = { reason: flags.reason, what, by: person(flags) };
      return atWork<DeletionRecord>(client, 'post', { kind, name }, '/delete', { body });
    },
    (deletion) => [
      `${deletion.name}: ${deletion.what === 'files' ? 'its files' : 'it'} will be deleted at ${seconds(deletion.due_at)}`,
      `take it back until then with: svc keep ${kindOf(deletion)} ${deletion.name}`,
    ],
  );
  asks(
    personCommand(program, 'keep', 'take the deletion of work back')
      .addArgument(kind())
      .argument('<name>', 'its name'),
    (client, flags: PersonFlags, kind: WorkKind, name: string) =>
      atWork<DeletionRecord>(client, 'post', { kind, name }, '/keep', { body: { by: person(flags) } }),
    (deletion) => [`${deletion.name}: kept`],
  );
  asks(
    serviceCommand(program, 'deletions', 'list deletions of work, the newest first').option(
      '--state <state>',
      'only in this state: planned, running, done or cancelled',
    ),
    (client, { state }: ServiceFlags & { state?: string }) =>
      client.all('/api/deletions', { query: state === undefined ? {} : { state } }),
    tableOf<DeletionRecord>('nothing is or was deleted', {
      KIND: kindOf,
      NAME: ({ name }) => name,
      WHAT: ({ what }) => what,
      STATE: ({ state }) => state,
      DUE: ({ due_at: at }) => seconds(at),
      BY: ({ by }) => by,
      REMOVED: ({ removed }) =>
        removed === null ? '-' : `${removed.task_runs} tasks, ${removed.files} files, ${removed.bytes} bytes`,
      REASON: ({ reason }) => reason,
    }),
  );
}

/** The kind as the command line names it. */
function kindOf({ kind }: DeletionRecord): string {
  return { campaign: 'campaign', protocol_run: 'protocol', task_run: 'task' }[kind];
}
