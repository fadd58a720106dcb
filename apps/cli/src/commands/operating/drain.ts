import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, DrainRecord } from '@lab/api-client';
import type { Command } from 'commander';
import { asks, person, personCommand, seconds, tableOf, type PersonFlags } from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { readAgain } from './read-again.js';

interface DrainFlags extends PersonFlags {
  campaign?: string;
  end?: boolean;
  wait?: boolean;
  timeout?: string;
}

/** Milliseconds between two looks at the progress. */
const pauseMs = 500;

/** The command that lets what has begun go on to its end, and lets nothing new begin. */
export function addDrainCommand(program: Command): void {
  const drain = 'let protocol runs and tasks that have begun go on to their end, and let nothing new begin';
  asks(
    personCommand(program, 'drain', drain)
      .option('--campaign <name>', 'only the runs of this campaign')
      .option('--wait', 'wait until everything that has begun has ended')
      .option('--timeout <seconds>', 'longest time of --wait (default: no limit)')
      .option('--end', 'end the drain: work may begin again')
      .allowExcessArguments(false),
    drained,
    drainLines,
  );
}

/** Begins or ends the drain. Whatever cannot be confirmed is said aloud, and sets the exit code. */
async function drained(client: ApiClient, flags: DrainFlags): Promise<DrainRecord> {
  const { campaign, end, wait, timeout } = flags;
  if (end === true && wait === true)
    throw new UsageError('--wait waits for the end of the work; leave it out with --end');
  const waitS = timeout === undefined ? Infinity : Number(timeout);
  if (!(waitS > 0)) throw new UsageError(`--timeout must be a number of seconds above 0, not "${timeout}"`);
  const first = await ask(client, flags);
  if (end === true) return first;
  const record = wait === true ? await follow(client, first, campaign, waitS * 1_000) : first;
  const silent = silentTasks(record);
  if (silent.length > 0 || (wait === true && !record.drained)) {
    process.exitCode = exitCodes.refused;
    for (const line of silent) tell(line);
    if (wait === true && !record.drained)
      tell(`NOT DRAINED: ${record.unfinished_count} have begun and have not ended after ${waitS} s.`);
  }
  return record;
}

function ask(client: ApiClient, flags: DrainFlags): Promise<DrainRecord> {
  const { campaign, end } = flags;
  const body = { by: person(flags) };
  if (campaign === undefined)
    return end === true
      ? client.post('/api/queue/drain/end', { body })
      : client.post('/api/queue/drain', { body });
  const path = { campaign_name: campaign };
  return end === true
    ? client.post('/api/campaigns/{campaign_name}/drain/end', { path, body })
    : client.post('/api/campaigns/{campaign_name}/drain', { path, body });
}

function read(client: ApiClient, campaign: string | undefined): Promise<DrainRecord> {
  return campaign === undefined
    ? client.get('/api/queue/drain', {})
    : client.get('/api/campaigns/{campaign_name}/drain', { path: { campaign_name: campaign } });
}

/** Looks again until everything has ended, the drain is over or the time is over, and prints each change. */
async function follow(
  client: ApiClient,
  first: DrainRecord,
  campaign: string | undefined,
  forMs: number,
): Promise<DrainRecord> {
  const end = performance.now() + forMs;
  let record = first;
  let told = '';
  while (!record.drained && record.draining && performance.now() < end) {
    const lines = progress(record);
    if (lines.join('\n') !== told) for (const line of lines) tell(line);
    told = lines.join('\n');
    await sleep(pauseMs);
    record = await readAgain(() => read(client, campaign), record);
  }
  return record;
}

function progress(record: DrainRecord): string[] {
  return [
    `${record.unfinished_count} to end: ${record.unfinished.map(({ name, state }) => `${name} (${state})`).join(', ')}`,
    ...silentTasks(record),
  ];
}

/** Tasks of which nobody knows whether they still run. */
function silentTasks({ unfinished }: DrainRecord): string[] {
  return unfinished
    .flatMap(({ running }) => running)
    .flatMap(({ label, computer, silent_since: since }) =>
      since === null
        ? []
        : [
            `NOT CONFIRMED: ${label} may go on. Computer ${computer ?? 'unknown'} is not heard since ${seconds(since)}.`,
          ],
    );
}

function drainLines(record: DrainRecord): string[] {
  const { draining, campaign, by, since, drained, unfinished } = record;
  const what = campaign === null ? 'nothing new begins' : `no run of ${campaign} begins`;
  const end = `svc drain${campaign === null ? '' : ` --campaign ${campaign}`} --end`;
  const left = record.unfinished_count - unfinished.length;
  return [
    draining
      ? `drained by ${by ?? ''} since ${seconds(since)}: ${what} until ${end}`
      : 'not drained: work may begin',
    ...(drained ? ['everything that has begun has ended'] : unfinishedTable(unfinished)),
    ...(left > 0 ? [`... and ${left} more`] : []),
  ];
}

type Unfinished = DrainRecord['unfinished'][number];

const unfinishedTable = tableOf<Unfinished>('', {
  'NOT ENDED': ({ name }) => name,
  STATE: ({ state }) => state,
  SINCE: ({ since }) => seconds(since),
  RUNS: ({ state, running }) =>
    running
      .map(({ label, computer, since }) => `${label} on ${computer ?? '-'} since ${seconds(since)}`)
      .join(', ') || whyNot(state),
});

function whyNot(state: Unfinished['state']): string {
  if (state === 'needs_attention') return 'nothing: it waits for a decision (svc attention)';
  if (state === 'paused') return 'nothing: it is paused (svc resume)';
  return 'nothing: its next task waits (svc queue)';
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
