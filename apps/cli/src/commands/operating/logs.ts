import { stripVTControlCharacters } from 'node:util';
import type { ApiClient, LogLine } from '@lab/api-client';
import { logLevels } from '@lab/contracts/vocabulary';
import { Option, type Command } from 'commander';
import { atService, json, serviceCommand, type ServiceFlags } from '../at-service.js';
import { deviceFilter } from './device-filter.js';

interface LogFlags extends ServiceFlags {
  task?: string;
  run?: string;
  device?: string;
  level?: LogLine['level'];
  since?: string;
  limit?: number;
  follow?: boolean;
}

/** `svc logs`. */
export function addLogsCommand(program: Command): void {
  serviceCommand(program, 'logs', 'show the log lines of tasks and devices, oldest first')
    .option('--task <name>', 'only lines of tasks with this name')
    .option('--run <name>', 'only lines of tasks of this protocol run')
    .option('--device <lab.device>', 'only lines of this device')
    .addOption(new Option('--level <level>', 'only this level and above').choices(logLevels))
    .option('--since <moment>', 'only lines since this time, for example 2026-11-20T09:30:00Z')
    .option('--limit <count>', 'most lines, the latest, 1 to 500 (default 100)', Number)
    .option('--follow', 'also show new lines until interrupted; with --json, one line of JSON for each')
    .allowExcessArguments(false)
    .action((flags: LogFlags) => atService(flags, (client) => showLogs(client, flags)));
}

async function showLogs(client: ApiClient, flags: LogFlags): Promise<string[]> {
  const { task, run, level, since, limit } = flags;
  const wanted = { task, protocol_run: run, ...deviceFilter(flags), level, since };
  if (flags.follow === true) return follow(client, wanted, flags);
  const { items } = await client.get('/api/logs', { query: { ...wanted, limit } });
  const lines = items.toReversed();
  if (flags.json === true) return json(lines);
  return lines.length === 0 ? ['no lines'] : lines.map(lineText);
}

/** Prints the stored lines, and then each new line. */
async function follow(client: ApiClient, wanted: object, { limit, json }: LogFlags): Promise<string[]> {
  const show = (line: LogLine): void => {
    process.stdout.write(`${json === true ? JSON.stringify(line) : lineText(line)}\n`);
  };
  // This position is read first, so that no line between this request and the begin of the stream is lost, even if no
  // line matches the filter yet.
  const [latest] = (await client.get('/api/logs', { query: { limit: 1 } })).items;
  const { items } = await client.get('/api/logs', { query: { ...wanted, limit } });
  items.toReversed().forEach(show);
  for (let after = items[0]?.id ?? latest?.id ?? 0; ;) after = await untilGap(client, wanted, after, show);
}

/**
 * Shows new lines until the service says that lines were removed before they came.
 *
 * @param after id of the line behind which the stream begins
 * @returns id of the last line that was removed
 */
async function untilGap(
  client: ApiClient,
  wanted: object,
  after: number,
  show: (line: LogLine) => void,
): Promise<number> {
  const options = { query: { ...wanted }, lastEventId: String(after) };
  for await (const { event, data } of client.events('/api/logs/stream', options)) {
    if (event === 'line') show(JSON.parse(data) as LogLine);
    if (event !== 'gap') continue;
    process.stderr.write('lines are missing here: they were removed before they came\n');
    return (JSON.parse(data) as { oldest: number }).oldest;
  }
  return after;
}

/** The text without escape sequences: the output of a device must not control the terminal of the reader. */
function lineText(line: LogLine): string {
  const { at, level, source, message } = line;
  const text = stripVTControlCharacters(message);
  return `${at}  ${level.toUpperCase().padEnd(5)}  ${originOf(line)}  ${source === 'service' ? `(${text})` : text}`;
}

function originOf({ task, protocol_run: run, lab, device, computer }: LogLine): string {
  if (task !== null) return run === null ? task : `${run}/${task}`;
  return device === null ? computer : `${lab}.${device}`;
}
