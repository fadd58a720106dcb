import { ProblemError, type EmergencyStopRecord, type QueuedTask, type QueueRecord } from '@lab/api-client';
import type { Command } from 'commander';
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
  type ServiceFlags,
} from '../at-service.js';

interface QueueFlags extends ServiceFlags {
  run?: string;
  campaign?: string;
  owner?: string;
  device?: string;
  lab?: string;
  limit?: string;
}

/** Commands by which people stop everything, and let nothing start. */
export function addOperatingCommands(program: Command): void {
  addEmergencyStop(program);
  addQueue(program);
}

function addEmergencyStop(program: Command): void {
  const estop = program
    .command('estop')
    .description('emergency stop of everything, of a laboratory or of a device');
  // The default command: a mistyped subcommand is an argument too many for it, and must not stop anything.
  withPerson(withJson(withUrl(estop.command('engage', { isDefault: true }))))
    .description('engage an emergency stop at once')
    .option('--lab <name>', 'only this laboratory')
    .option('--device <name>', 'only this device of the laboratory')
    .option('--reason <text>', 'why')
    .allowExcessArguments(false)
    .action((flags: PersonFlags & { lab?: string; device?: string; reason?: string }) =>
      atService(flags, async (client) => {
        try {
          const stop = await client.post('/api/estop', {
            body: {
              by: person(flags),
              ...(flags.lab === undefined ? {} : { lab_name: flags.lab }),
              ...(flags.device === undefined ? {} : { device_name: flags.device }),
              ...(flags.reason === undefined ? {} : { reason: flags.reason }),
            },
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
    .description('release one emergency stop, or all that are in force')
    .action((id: string | undefined, flags: PersonFlags) =>
      atService(flags, async (client) => {
        const released = await client.post('/api/estop/release', {
          body: { by: person(flags), ...(id === undefined ? {} : { id }) },
        });
        if (flags.json === true) return json(released);
        return released.length === 0
          ? ['no stop is in force']
          : released.map((stop) => `released: ${stop.scope} (${stop.id})`);
      }),
    );
  withJson(withUrl(estop.command('list')))
    .description('list the emergency stops in force')
    .option('--all', 'also released stops')
    .action((flags: PersonFlags & { all?: boolean }) =>
      atService(flags, async (client) => {
        const stops = await client.all('/api/estop', { query: { all: flags.all === true } });
        if (flags.json === true) return json(stops);
        return stops.length === 0 ? ['no stop is in force'] : table([stopHeader, ...stops.map(stopRow)]);
      }),
    );
}

function addQueue(program: Command): void {
  const queue = program.command('queue').description('show, pause and resume the queue');
  withJson(withUrl(queue.command('show', { isDefault: true })))
    .description(
      'show the numbers of queued and running tasks, and the queued tasks in order with their reasons',
    )
    .option('--run <name>', 'only tasks of this protocol run')
    .option('--campaign <name>', 'only tasks of this campaign')
    .option('--owner <name>', 'only tasks of this owner')
    .option('--device <lab.device>', 'only tasks that can use this device')
    .option('--lab <name>', 'only tasks that can use a device of this laboratory')
    .option('--limit <count>', 'most tasks to list (default 20)')
    .allowExcessArguments(false)
    .action((flags: QueueFlags) =>
      atService(flags, async (client) => {
        const { run, campaign, owner, device, lab, limit = '20' } = flags;
        const page = await client.get('/api/queue', {
          query: { protocol_run: run, campaign, owner, device, lab, limit: Number(limit) },
        });
        if (flags.json === true) return json(page);
        const { items, next_cursor: next } = page;
        return [
          ...queueLines(page, flags),
          ...(items.length === 0 ? [] : ['', ...table([queueHeader, ...items.map(queueRow)])]),
          ...(next === null ? [] : ['... and more, with --limit']),
        ];
      }),
    );
  for (const verb of ['pause', 'resume'] as const) {
    withPerson(withJson(withUrl(queue.command(verb))))
      .description(verb === 'pause' ? 'start nothing any more' : 'start what waits again')
      .action((flags: PersonFlags) =>
        atService(flags, async (client) =>
          queueLines(await client.post(`/api/queue/${verb}`, { body: { by: person(flags) } }), flags),
        ),
      );
  }
}

const stopHeader = ['SCOPE', 'SINCE', 'BY', 'REASON', 'RELEASED', 'ID'];

function stopRow(stop: EmergencyStopRecord): string[] {
  const released =
    stop.released_at === null ? '' : `${seconds(stop.released_at)} by ${stop.released_by ?? ''}`;
  return [stop.scope, seconds(stop.engaged_at), stop.by, stop.reason, released, stop.id];
}

const queueHeader = ['#', 'TASK', 'OWNER', 'PRIORITY', 'SINCE', 'WAITS FOR'];

function queueRow(task: QueuedTask): string[] {
  const { position, label, owner, priority, effective_priority: effective, waiting_since: since } = task;
  return [
    String(position),
    label,
    owner,
    effective === priority ? String(priority) : `${priority} (now ${effective})`,
    seconds(since),
    task.waits_for.map(({ code, message }) => `${code}: ${message}`).join('; ') || '-',
  ];
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
