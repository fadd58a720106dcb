import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '@lab/api-client';
import type { Recording } from '@lab/instruments/kit';
import type { Command } from 'commander';
import { atService, person, personCommand, type PersonFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';
import { deviceNamed } from './device-filter.js';

interface RecordFlags extends PersonFlags {
  for?: number;
  out?: string;
  maxMib: number;
}

interface ReplayFlags {
  port?: number;
  strict?: boolean;
}

/** What the function `recorded_traffic` of a device returns. */
interface Piece {
  text: string;
  next: number;
  running: boolean;
}

/** Milliseconds between two looks at a running recording. */
const lookMs = 1_000;

/** Commands for the traffic between devices and their instruments. */
export function addTrafficCommands(device: Command): void {
  personCommand(
    device,
    'record <lab.device>',
    'record the traffic between a device and its instrument, until interrupted, into a file of this computer',
  )
    .option('--for <seconds>', 'end by itself after so many seconds', secondsOf)
    .option('--out <file>', 'a new file (default: <lab>.<device>.ndjson)')
    .option('--max-mib <size>', 'end by itself at this size', secondsOf, 16)
    .action((name: string, flags: RecordFlags) => atService(flags, (client) => record(client, name, flags)));
  device
    .command('replay')
    .description('show a recording of traffic; with --port, answer as its instrument did')
    .argument('<file>', 'a recording of svc device record')
    .option('--port <port>', 'TCP port of this computer; 0: any', portOf)
    .option('--strict', 'accept only the requests of the recording, in their order')
    .action((file: string, flags: ReplayFlags) => replay(file, flags));
}

async function record(client: ApiClient, name: string, flags: RecordFlags): Promise<string[]> {
  const { lab, device } = deviceNamed(name);
  const call = async (of: string, body: Record<string, number | boolean>): Promise<unknown> =>
    client.post('/api/rpc/{lab_id}/{device_id}/{function_name}', {
      path: { lab_id: lab, device_id: device, function_name: of },
      // A recording does not touch the instrument, so it needs nobody's permission to disturb a task.
      query: { by: person(flags), force: true, reason: 'records the traffic' },
      body,
    });
  const out = flags.out ?? `${name}.ndjson`;
  const file = openSync(out, 'wx', 0o600);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let lines = 0;
  let place = 0;
  try {
    await call('record_traffic', { on: true, max_mib: flags.maxMib });
    process.stderr.write(`recording the traffic of ${name} into ${out}; Ctrl-C ends it\n`);
    const end = flags.for === undefined ? Infinity : Date.now() + flags.for * 1_000;
    let isOver = false;
    while (!isOver) {
      const left = Math.min(lookMs, end - Date.now());
      if (left > 0) await pause(left, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted || Date.now() >= end) {
        await call('record_traffic', { on: false });
        isOver = true;
      }
      for (;;) {
        const piece = (await call('recorded_traffic', { offset: place })) as Piece;
        writeSync(file, piece.text, null, 'latin1');
        lines += piece.text.split('\n').length - 1;
        if (piece.next > place) place = piece.next;
        else {
          isOver ||= !piece.running;
          break;
        }
      }
    }
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    closeSync(file);
  }
  return flags.json === true
    ? [JSON.stringify({ file: out, lines, bytes: place })]
    : [`wrote ${lines} lines to ${out}`];
}

async function replay(file: string, { port, strict = false }: ReplayFlags): Promise<void> {
  try {
    const { hasMessages, readRecording, Replay, serve } = await import('@lab/instruments/kit');
    const recording = readRecording(readFileSync(file, 'utf8'), file);
    if (port === undefined) {
      process.stdout.write(`${transcript(recording).join('\n')}\n`);
      return;
    }
    if (hasMessages(recording))
      throw new UsageError(
        `${file} is a recording of messages, and no port can answer them: give the device the init parameter replay: { file: PATH }, ` +
          'or replay the file in a test',
      );
    if (!recording.entries.some((entry) => 'dir' in entry))
      throw new UsageError(`${file} has no traffic, so no port can answer as its instrument did`);
    const served = await serve(new Replay(recording, strict ? 'strict' : 'lenient'), port);
    process.stdout.write(`${recording.head.of} answers on 127.0.0.1:${served.port}; Ctrl-C ends it\n`);
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    await served.close();
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

/** A recording for people: one line for each piece of traffic. */
function transcript({ head, entries }: Recording): string[] {
  return [
    `${head.of} at ${head.label}, ${head.at}`,
    ...entries.map((entry) => {
      const at = `${entry.ms.toFixed(3)} ms`.padStart(16);
      if ('event' in entry)
        return `${at}     ${entry.event}${entry.why === undefined ? '' : `: ${entry.why}`}`;
      return `${at} ${entry.dir === 'out' ? '-->' : '<--'} ${payloadOf(entry)}`;
    }),
  ];
}

/** What was sent, on one line. The number of an exchange connects an answer with its request. */
function payloadOf(entry: Exclude<Recording['entries'][number], { event: string }>): string {
  if ('hex' in entry) {
    const text = Buffer.from(entry.hex, 'hex').toString('latin1');
    return /^[\x20-\x7e\r\n\t]*$/.test(text) ? JSON.stringify(text) : entry.hex;
  }
  const number = entry.exchange === undefined ? '' : `${entry.exchange}: `;
  const content = 'message' in entry ? JSON.stringify(entry.message) : `failed: ${entry.error.message}`;
  return `${number}${content}`;
}

function secondsOf(given: string): number {
  const value = Number(given);
  if (!(value > 0)) throw new UsageError(`"${given}" is no number above 0`);
  return value;
}

function portOf(given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new UsageError(`"${given}" is no port: give a whole number from 0 to 65535`);
  return value;
}
