import { Argument, type Command } from 'commander';
import type { ApiClient } from '@lab/api-client';
import { watchWork } from '../../watch/watch-work.js';
import { atWork, workKinds, type Work, type WorkKind } from '../../watch/work.js';
import { resolved } from '../operating/attention.js';
import {
  asks,
  atService,
  json,
  person,
  personCommand,
  serviceCommand,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { afterCancel, afterPause, runningTasks } from './still-running.js';

const taskOfRun: [string, string] = ['--run <name>', 'of a task: the protocol run it belongs to'];

interface WorkFlags extends ServiceFlags {
  run?: string;
}

interface Changed {
  name: string;
  state: string;
}

const stateLine = ({ name, state }: Changed): string[] => [`${name}: ${state}`];

/** Adds the arguments with the kind and the name of the work. */
function withWork(command: Command, kinds: readonly WorkKind[] = workKinds): Command {
  return command
    .addArgument(new Argument('<kind>', 'what it is').choices(kinds))
    .argument('<name>', 'its name');
}

/** Commands with which people follow and control work. */
export function addWorkCommands(program: Command): void {
  const watch = 'follow work to its end; the exit code is 1 when it does not complete';
  withWork(serviceCommand(program, 'watch', watch))
    .option(...taskOfRun)
    .action((kind: WorkKind, name: string, flags: WorkFlags) =>
      atService(flags, (client) => watched(client, { kind, name, run: flags.run }, flags)),
    );
  const cancel = 'cancel work: running tasks are stopped, queued tasks do not start';
  asks(
    withWork(serviceCommand(program, 'cancel', cancel)).option(...taskOfRun),
    async (client, { run }: WorkFlags, kind: WorkKind, name: string) => {
      const work = { kind, name, run };
      const record = await atWork<Changed>(client, 'post', work, '/cancel');
      const running = await runningTasks(client, work);
      if (running === undefined || running.some(({ unheard }) => unheard !== null))
        process.exitCode = exitCodes.refused;
      tell(afterCancel(running));
      return record;
    },
    stateLine,
  );
  asks(
    withWork(serviceCommand(program, 'prioritize', 'change the priority of work that has not ended'))
      .argument('<priority>', 'whole number; work with a higher priority starts first')
      .option(...taskOfRun),
    async (client, { run }: WorkFlags, kind: WorkKind, name: string, priority: string) => {
      const body = { priority: wholeNumber(priority) };
      return atWork<Changed>(client, 'patch', { kind, name, run }, '', { body });
    },
    stateLine,
  );
  for (const [verb, description] of [
    ['pause', 'start nothing more of a protocol run or campaign'],
    ['resume', 'go on with what is paused, failed or was cancelled'],
  ] as const)
    asks(
      withWork(personCommand(program, verb, description), ['protocol', 'campaign']),
      async (client, flags: PersonFlags, kind: WorkKind, name: string) => {
        const body = { by: person(flags) };
        const record = await atWork<Changed>(client, 'post', { kind, name }, `/${verb}`, { body });
        if (verb === 'pause') tell(afterPause(await runningTasks(client, { kind, name })));
        return record;
      },
      stateLine,
    );
  const retry = 'retry a task that has an attention item, by the id or subject of the item';
  asks(
    personCommand(program, 'retry', retry)
      .argument('<item>', 'for example mix_1/mix_colors')
      .option('--note <text>', 'reason, for the audit'),
    (client, flags: PersonFlags & { note?: string }, item: string) => resolved(client, item, 'retry', flags),
    ({ subject }) => [`${subject}: retry`],
  );
}

function tell(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
}

/**
 * Shows work until it ends. The exit code says whether the work completed. Ctrl-C ends only the display.
 *
 * @returns the last lines to print
 */
export async function watched(client: ApiClient, work: Work, flags: ServiceFlags): Promise<string[]> {
  const output = flags.json === true ? process.stderr : process.stdout;
  const { record } = await watchWork(client, work, output);
  if (record.state !== 'completed') process.exitCode = exitCodes.failed;
  return flags.json === true ? json(record) : [];
}

/** @throws UsageError */
function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`${text} is not a whole number`);
  return Number(text);
}
