import type { DeviceFileRecord } from '@lab/api-client';
import { InvalidArgumentError, type Command } from 'commander';
import {
  asks,
  atService,
  facts,
  person,
  personCommand,
  seconds,
  serviceCommand,
  tableOf,
  withUrl,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { deviceNamed } from '../operating/device-filter.js';
import { contentOf, received, saved } from './download.js';

interface ListFlags extends ServiceFlags {
  task?: string;
  run?: string;
  loose?: true;
  since?: string;
  until?: string;
  limit?: number;
}

interface ReasonedFlags extends PersonFlags {
  reason: string;
}

interface AttachFlags extends ReasonedFlags {
  run?: string;
}

/** Default of `--limit`. */
const usualLimit = 100;

/** Commands for the files that instruments wrote. @param files the command `files` */
export function addDeviceFilesCommands(files: Command): void {
  asks(
    serviceCommand(files, 'device', 'list the files that an instrument wrote, latest last')
      .argument('<lab.device>', 'the device')
      .option('--task <name>', 'only files of tasks with this name')
      .option('--run <name>', 'only files of this protocol run')
      .option('--loose', 'only files that belong to no attempt')
      .option('--since <moment>', 'only files made at this moment (ISO 8601) or later', moment)
      .option('--until <moment>', 'only files made before this moment (ISO 8601)', moment)
      .option('--limit <count>', `most files, the latest, 1 to 500 (default ${usualLimit})`, Number),
    async (client, flags: ListFlags, name: string) => {
      const { task, run, loose, since, until, limit = usualLimit } = flags;
      const query = { ...deviceNamed(name), task, protocol_run: run, loose, since, until, limit };
      return (await client.get('/api/device-files', { query })).items.toReversed();
    },
    tableOf<DeviceFileRecord>('no files', {
      MADE: ({ made_at }) => seconds(made_at),
      PATH: ({ path }) => path,
      BYTES: ({ size }) => String(size),
      TASK: ({ task, protocol_run: run }) => (task === null ? '-' : run === null ? task : `${run}/${task}`),
      BY: ({ matched, attached_by: by }) => by ?? matched ?? '-',
      ID: ({ id }) => id,
    }),
  );
  withUrl(files.command('fetch'))
    .description('download a file that an instrument wrote; an incomplete or damaged file is never kept')
    .argument('<lab.device>', 'the device')
    .argument('<id>', 'id of the file')
    .option('-o, --output <path>', 'path of the download (default: its name, in this folder)')
    .action((name: string, id: string, flags: ServiceFlags & { output?: string }) =>
      atService(flags, async (client) => {
        const path = pathOf(name, id);
        const file = await client.get('/api/labs/{lab_id}/devices/{device_id}/files/{file_id}', { path });
        const answer = await client.open('/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/content', {
          path,
        });
        const place = await saved(flags.output ?? file.name, (into) =>
          received(contentOf(answer), file, into),
        );
        return [`wrote ${place}`];
      }),
    );
  asks(
    personCommand(files, 'attach', 'attach a file that an instrument wrote to a task')
      .argument('<lab.device>', 'the device')
      .argument('<id>', 'id of the file')
      .argument('<task>', 'name of the task')
      .option('--run <name>', 'the protocol run that the task belongs to')
      .requiredOption('--reason <text>', 'why, for the record and the audit'),
    (client, flags: AttachFlags, name: string, id: string, task: string): Promise<DeviceFileRecord> => {
      const { run, reason } = flags;
      return client.post('/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/attach', {
        path: pathOf(name, id),
        body: { task, reason, by: person(flags), ...(run === undefined ? {} : { protocol_run: run }) },
      });
    },
    (file) =>
      facts({
        file: file.path,
        task: file.task,
        run: file.protocol_run,
        attempt: file.attempt_id,
        by: file.attached_by,
      }),
  );
  asks(
    personCommand(files, 'delete', 'delete a file that an instrument wrote and no task has')
      .argument('<lab.device>', 'the device')
      .argument('<id>', 'id of the file')
      .requiredOption('--reason <text>', 'why, for the record and the audit'),
    (client, flags: ReasonedFlags, name: string, id: string): Promise<DeviceFileRecord> =>
      client.post('/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/delete', {
        path: pathOf(name, id),
        body: { reason: flags.reason, by: person(flags) },
      }),
    deletionFacts,
  );
  asks(
    personCommand(files, 'keep', 'take the deletion of a file that an instrument wrote back')
      .argument('<lab.device>', 'the device')
      .argument('<id>', 'id of the file'),
    (client, flags: PersonFlags, name: string, id: string): Promise<DeviceFileRecord> =>
      client.post('/api/labs/{lab_id}/devices/{device_id}/files/{file_id}/keep', {
        path: pathOf(name, id),
        body: { by: person(flags) },
      }),
    deletionFacts,
  );
}

const deletionFacts = (file: DeviceFileRecord) =>
  facts({
    file: file.path,
    'deleted at': file.delete_due_at,
    by: file.delete_by,
    reason: file.delete_reason,
  });

function pathOf(name: string, id: string): { lab_id: string; device_id: string; file_id: string } {
  const { lab, device } = deviceNamed(name);
  return { lab_id: lab, device_id: device, file_id: id };
}

function moment(text: string): string {
  const found = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(found.getTime())) throw new InvalidArgumentError('write for example 2026-11-28T08:00:00Z');
  return found.toISOString();
}
