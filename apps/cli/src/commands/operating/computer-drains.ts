import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRecord, ApiClient } from '@lab/api-client';
import type { Command } from 'commander';
import { asks, person, personCommand, seconds, type PersonFlags } from '../at-service.js';
import { exitCodes } from '../exit-codes.js';
import { momentOf } from '../moments.js';
import { readAgain } from './read-again.js';

interface DrainFlags extends PersonFlags {
  reason: string;
  until?: string;
  wait?: boolean;
}

/** Milliseconds between two looks at what still runs on a computer. */
const lookEveryMs = 1_000;

/** `svc agent drain` and `svc agent resume`. */
export function addDrainComputerCommands(agent: Command): void {
  asks(
    personCommand(agent, 'drain <computer>', 'let no task start on a computer, for work on it')
      .requiredOption('--reason <text>', 'why, for those who wait')
      .option('--until <time>', 'it ends by itself: 30m, 2h, 3d, 18:00 or 2026-11-23T18:00')
      .option('--wait', 'wait until the tasks that run there have ended'),
    drained,
    drainLines,
  );
  asks(personCommand(agent, 'resume <computer>', 'let tasks start on a computer again'), resumed, drainLines);
}

/** Drains the computer. Whatever cannot be confirmed is said aloud, and sets the exit code. */
async function drained(client: ApiClient, flags: DrainFlags, computer: string): Promise<AgentRecord> {
  const { reason, until, wait } = flags;
  const path = { computer };
  const body = { reason, by: person(flags), ...(until === undefined ? {} : { until: momentOf(until) }) };
  const first = await client.post('/api/agents/{computer}/drain', { path, body });
  const record = wait === true ? await follow(client, first) : first;
  if (record.drain === null)
    refuse(`NOT DRAINED: the drain of ${computer} has ended, so tasks may start there.`);
  else if (isSilent(record)) refuse(silence(record));
  return record;
}

/** Looks again until no task runs there or the drain is over, and prints each change. */
async function follow(client: ApiClient, first: AgentRecord): Promise<AgentRecord> {
  let record = first;
  let told = '';
  while (record.drain?.drained === false) {
    const progress = [...usersLine(record.drain), ...(isSilent(record) ? [silence(record)] : [])].join('\n');
    if (progress !== told) tell(progress);
    told = progress;
    await delay(lookEveryMs);
    const path = { computer: first.computer };
    record = await readAgain(() => client.get('/api/agents/{computer}', { path }), record);
  }
  return record;
}

async function resumed(client: ApiClient, flags: PersonFlags, computer: string): Promise<AgentRecord> {
  const path = { computer };
  // If this fails, so does the request after it, whose answer says more.
  const before = await client.get('/api/agents/{computer}', { path }).catch(() => undefined);
  const record = await client.post('/api/agents/{computer}/resume', { path, body: { by: person(flags) } });
  if (before?.drain === null) tell(`${computer} was not drained`);
  return record;
}

/** Nobody knows whether the tasks of the computer still run. */
const isSilent = ({ state, tasks }: AgentRecord): boolean => state !== 'online' && tasks.length > 0;

const silence = ({ computer, tasks, state, reason }: AgentRecord): string =>
  `NOT CONFIRMED: ${tasks.join(', ')} may go on. Computer ${computer} is ${state}: ${reason ?? ''}`;

function drainLines(record: AgentRecord): string[] {
  const { computer, drain } = record;
  if (drain === null) return [`${computer}: takes tasks`];
  const { kept_by: keepers } = drain;
  return [
    `${computer}: ${drainText(drain)}`,
    ...usersLine(drain),
    ...(keepers.length === 0
      ? []
      : [`runs that keep a device of it, in which a sample may be: ${keepers.join(', ')}`]),
  ];
}

type Drain = NonNullable<AgentRecord['drain']>;

const usersLine = ({ used_by: users }: Drain): string[] =>
  users.length === 0 ? [] : [`still running: ${users.join(', ')}`];

/** Whether the computer is drained already, who drains it since when, and why. */
export function drainText({ by, reason, since, until, drained: isOver, used_by: users }: Drain): string {
  const state = isOver ? 'drained' : `draining, ${users.length} still running`;
  const end = until === null ? '' : ` until ${seconds(until)}`;
  return `${state}, by ${by} since ${seconds(since)}${end}: ${reason}`;
}

function refuse(text: string): void {
  process.exitCode = exitCodes.refused;
  tell(text);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
