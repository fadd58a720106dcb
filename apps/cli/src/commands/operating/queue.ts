import type { QueuedTask, QueueRecord } from '@lab/api-client';
import type { Command } from 'commander';
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

interface QueueFlags extends ServiceFlags {
  run?: string;
  campaign?: string;
  owner?: string;
  device?: string;
  lab?: string;
  limit?: string;
}

/** Commands that show the queue and keep work from starting. */
export function addQueueCommands(program: Command): void {
  const queue = program.command('queue').description('show, pause and resume the queue');
  const show =
    'show the numbers of waiting and running tasks, and the waiting tasks in order with their reasons';
  asks(
    serviceCommand(queue, 'show', show, { isDefault: true })
      .option('--run <name>', 'only tasks of this protocol run')
      .option('--campaign <name>', 'only tasks of this campaign')
      .option('--owner <name>', 'only tasks of this owner')
      .option('--device <lab.device>', 'only tasks that can use this device')
      .option('--lab <name>', 'only tasks that can use a device of this laboratory')
      .option('--limit <count>', 'most tasks to list (default 20)')
      .allowExcessArguments(false),
    (client, { run, campaign, owner, device, lab, limit = '20' }: QueueFlags) =>
      client.get('/api/queue', {
        query: { protocol_run: run, campaign, owner, device, lab, limit: Number(limit) },
      }),
    (page) => [
      ...queueLines(page, page.items.length),
      ...(page.items.length === 0 ? [] : ['', ...queueTable(page.items)]),
      ...(page.next_cursor === null ? [] : ['... and more, with --limit']),
    ],
  );
  for (const [verb, description] of [
    ['pause', 'start nothing any more'],
    ['resume', 'start what waits again'],
  ] as const)
    asks(
      personCommand(queue, verb, description),
      (client, flags: PersonFlags) => client.post(`/api/queue/${verb}`, { body: { by: person(flags) } }),
      (queue) => queueLines(queue),
    );
}

const queueTable = tableOf<QueuedTask>('', {
  '#': ({ position }) => String(position),
  TASK: ({ label }) => label,
  OWNER: ({ owner }) => owner,
  PRIORITY: ({ priority, effective_priority: effective }) =>
    effective === priority ? String(priority) : `${priority} (now ${effective})`,
  SINCE: (task) => seconds(task.waiting_since),
  'WAITS FOR': (task) => task.waits_for.map(({ code, message }) => `${code}: ${message}`).join('; ') || '-',
});

/** @param listed number of waiting tasks below these lines; undefined: no list follows */
function queueLines(queue: QueueRecord, listed?: number): string[] {
  const { paused, paused_by: by, paused_at: at, drained_by: drainer, waiting, queued, running } = queue;
  const part = listed === undefined || listed === waiting ? '' : ` (${listed} listed)`;
  const ready = waiting === 0 ? '' : `, ${queued} of them ready to start`;
  return [
    `${waiting} waiting${ready}, ${running} running${part}`,
    ...(paused
      ? [`paused by ${by ?? ''} since ${seconds(at ?? '')}: nothing starts until svc queue resume`]
      : []),
    ...(drainer === null
      ? []
      : [
          `drained by ${drainer} since ${seconds(queue.drained_at)}: nothing new begins until svc drain --end`,
        ]),
  ];
}
