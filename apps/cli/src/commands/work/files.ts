import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ApiClient, FileRecord, TaskRunRecord } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import { readWork, workKinds, type Work, type WorkKind } from '../../watch/work.js';
import { asks, atService, serviceCommand, tableOf, withUrl, type ServiceFlags } from '../at-service.js';
import { addDeviceFilesCommands } from './device-files.js';
import { contentOf, received, saved } from './download.js';
import { UsageError } from '../exit-codes.js';

interface FileFlags extends ServiceFlags {
  run?: string;
  output?: string;
}

const run: [string, string] = ['--run <name>', 'the protocol run that the task belongs to'];

/** Commands with which people get the files that tasks produced. */
export function addFilesCommands(program: Command): void {
  const files = program.command('files').description('files that tasks produced, and files of instruments');
  addDeviceFilesCommands(files);
  asks(
    serviceCommand(files, 'list', 'list the files of a task')
      .argument('<task>', 'name of the task')
      .option(...run),
    async (client, flags: FileFlags, name: string) => (await taskNamed(client, name, flags)).output_files,
    tableOf<FileRecord>('no files', {
      NAME: ({ name }) => name,
      BYTES: ({ size }) => String(size),
      'SHA-256': ({ sha256 }) => sha256,
    }),
  );
  withUrl(files.command('get'))
    .description('download a file of a task; an incomplete or damaged file is never kept')
    .argument('<task>', 'name of the task')
    .argument('<file>', 'name of the file')
    .option(...run)
    .option(
      '-o, --output <path>',
      'path of the download (default: its name, in this folder); - is standard output',
    )
    .action((name: string, fileName: string, flags: FileFlags) =>
      atService(flags, async (client) => {
        const task = await taskNamed(client, name, flags);
        const file = task.output_files.find((each) => each.name === fileName);
        if (file === undefined)
          throw new UsageError(
            `${name} has no file ${fileName}; it has ${task.output_files.map((each) => each.name).join(', ') || 'none'}`,
          );
        const answer = await client.open('/api/tasks/{task_name}/files/{file_name}', {
          path: { task_name: name, file_name: fileName },
          query: flags.run === undefined ? {} : { protocol_run_name: flags.run },
        });
        if (flags.output === '-') {
          await received(contentOf(answer), file, process.stdout, { end: false });
          return [];
        }
        const path = await saved(flags.output ?? basename(file.name), (into) =>
          received(contentOf(answer), file, into),
        );
        return [`wrote ${path}`];
      }),
    );
  withUrl(files.command('zip'))
    .description('download all files of a campaign, a protocol run or a task as one zip')
    .addArgument(new Argument('<kind>', 'what it is').choices(workKinds))
    .argument('<name>', 'its name')
    .option(...run)
    .option('-o, --output <path>', 'path of the download (default: its name, in this folder)')
    .action((kind: WorkKind, name: string, flags: FileFlags) =>
      atService(flags, async (client) => {
        const answer = await archiveOf(client, { kind, name, run: flags.run });
        // Fewer bytes than the announced length are an error of the connection.
        const path = await saved(flags.output ?? `${basename(name)}.zip`, (into) =>
          pipeline(contentOf(answer), into),
        );
        return [`wrote ${path}`];
      }),
    );
}

function archiveOf(client: ApiClient, { kind, name, run }: Work): Promise<Response> {
  switch (kind) {
    case 'campaign':
      return client.open('/api/campaigns/{campaign_name}/files.zip', { path: { campaign_name: name } });
    case 'protocol':
      return client.open('/api/protocols/{protocol_run_name}/files.zip', {
        path: { protocol_run_name: name },
      });
    case 'task':
      return client.open('/api/tasks/{task_name}/files.zip', {
        path: { task_name: name },
        query: run === undefined ? {} : { protocol_run_name: run },
      });
  }
}

async function taskNamed(client: ApiClient, name: string, flags: FileFlags): Promise<TaskRunRecord> {
  const { record } = await readWork(client, { kind: 'task', name, run: flags.run });
  return record;
}
