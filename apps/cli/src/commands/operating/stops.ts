import { setTimeout as sleep } from 'node:timers/promises';
import {
  ProblemError,
  UnreachableError,
  type ApiClient,
  type AttentionRecord,
  type EmergencyStopRecord,
  type EmergencyStopReport,
  type StoppedDevice,
} from '@lab/api-client';
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
import { exitCodes, RefusedError, UsageError } from '../exit-codes.js';

interface StopFlags extends PersonFlags {
  lab?: string;
  device?: string;
  reason?: string;
  wait?: boolean;
  timeout?: string;
}

/** Milliseconds without an answer after which the command says that nothing is known. The service needs up to 1.6 s of them. */
const silentMs = 1_900;
/** Milliseconds for one answer. The service answers late on a busy computer. */
const answerMs = 10_000;
/** Milliseconds for which the command tries again while no service listens, because it may be starting again. */
const startingMs = 1_000;
const pauseMs = 200;
/** Default of `--timeout`, in seconds. */
const usualWaitS = 60;

/** Commands with which people stop everything at once. */
export function addEmergencyStopCommands(program: Command): void {
  const estop = program
    .command('estop')
    .description('emergency stop of everything, of a laboratory or of a device');
  // This is the default command. A mistyped subcommand is an excess argument here and is refused, so that it stops
  // nothing.
  asks(
    personCommand(estop, 'engage', 'engage an emergency stop at once', { isDefault: true })
      .option('--lab <name>', 'only this laboratory')
      .option('--device <name>', 'only this device of the laboratory')
      .option('--reason <text>', 'why')
      .option('--wait', 'ask on until every device is stopped')
      .option('--timeout <seconds>', `longest time of --wait (default ${usualWaitS})`)
      .allowExcessArguments(false),
    engage,
    (report) => [
      `${report.confirmed ? 'stopped' : 'stop sent'}: ${report.scope} (${report.id})`,
      ...deviceTable(report.devices),
    ],
  );
  asks(
    personCommand(estop, 'release [id]', 'release one emergency stop, or all that are in force'),
    async (client, flags: PersonFlags, id?: string) => {
      const released = await client.post('/api/estop/release', {
        body: { by: person(flags), ...(id === undefined ? {} : { id }) },
      });
      if (flags.json !== true) await tellQuestions(client);
      return released;
    },
    (released) =>
      released.length === 0
        ? ['no stop is in force']
        : released.map(({ scope, id }) => `released: ${scope} (${id})`),
  );
  asks(
    serviceCommand(estop, 'list', 'list the emergency stops in force').option('--all', 'also released stops'),
    (client, { all = false }: ServiceFlags & { all?: boolean }) =>
      client.all('/api/estop', { query: { all } }),
    tableOf<EmergencyStopRecord>('no stop is in force', {
      SCOPE: ({ scope }) => scope,
      SINCE: (stop) => seconds(stop.engaged_at),
      BY: ({ by }) => by,
      REASON: ({ reason }) => reason,
      RELEASED: ({ released_at: at, released_by: by }) =>
        at === null ? '' : `${seconds(at)} by ${by ?? ''}`,
      ID: ({ id }) => id,
    }),
  );
}

/** Engages the emergency stop. Whatever is not confirmed is said aloud, and sets the exit code. */
async function engage(client: ApiClient, flags: StopFlags): Promise<EmergencyStopReport> {
  const waitS = flags.timeout === undefined ? usualWaitS : Number(flags.timeout);
  if (!(waitS > 0))
    throw new UsageError(`--timeout must be a number of seconds above 0, not "${flags.timeout}"`);
  let report = await firstReport(client, flags);
  if (flags.wait === true && !report.confirmed) report = await follow(client, report, flags, waitS * 1_000);
  if (report.confirmed) return report;
  process.exitCode = exitCodes.refused;
  const open = report.devices.filter(({ state }) => state !== 'stopped').length;
  warn(
    [
      ...(open === 0 ? [] : [`${open} of ${report.devices.length} devices.`]),
      ...(report.complete ? [] : ['The orchestrator does not say which devices there are.']),
      'Use the hardware switch of each device that may be moving.',
    ].join(' '),
  );
  return report;
}

/** The answer of the service. While it does not come, the command says that nothing is known, and waits on. */
async function firstReport(client: ApiClient, flags: StopFlags): Promise<EmergencyStopReport> {
  const unknown =
    'it is not known whether anything was stopped. Every device may be moving. Use the hardware switches.';
  let said = false;
  const silence = setTimeout(() => {
    said = true;
    warn(`${unknown} The service has not answered yet; the command waits up to ${answerMs / 1_000} s.`);
  }, silentMs);
  try {
    return await send(client, flags);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status < 500) throw error;
    if (!said) warn(unknown);
    // No answer is no confirmation, so the exit code is the same.
    if (error instanceof UnreachableError) throw new RefusedError(error.message, { cause: error });
    throw error;
  } finally {
    clearTimeout(silence);
  }
}

function send(client: ApiClient, flags: StopFlags): Promise<EmergencyStopReport> {
  const { lab, device, reason } = flags;
  const body = {
    by: person(flags),
    ...(lab === undefined ? {} : { lab_name: lab }),
    ...(device === undefined ? {} : { device_name: device }),
    ...(reason === undefined ? {} : { reason }),
  };
  const giveUpAt = performance.now() + startingMs;
  const attempt = async (): Promise<EmergencyStopReport> => {
    try {
      return await client.post('/api/estop', { body, timeoutMs: answerMs, retries: 0 });
    } catch (error) {
      const isStarting = error instanceof UnreachableError && error.reason === 'refused';
      if (!isStarting || performance.now() >= giveUpAt) throw error;
      await sleep(pauseMs);
      return attempt();
    }
  };
  return attempt();
}

/** Asks on until every device is stopped or the time is over, and prints each change. */
async function follow(
  client: ApiClient,
  first: EmergencyStopReport,
  { json }: StopFlags,
  forMs: number,
): Promise<EmergencyStopReport> {
  const end = performance.now() + forMs;
  let report = first;
  while (!report.confirmed && report.released_at === null && performance.now() < end) {
    await sleep(pauseMs);
    const timeoutMs = Math.max(silentMs, Math.min(answerMs, end - performance.now()));
    const next = await client
      .get('/api/estop/{id}', { path: { id: first.id }, retries: 0, timeoutMs })
      .catch((error: unknown) => {
        if (error instanceof ProblemError && error.problem.status < 500) throw error;
        return report;
      });
    if (json !== true)
      for (const device of next.devices) {
        const before = report.devices.find((each) => keyOf(each) === keyOf(device));
        if (before?.state !== device.state) process.stderr.write(`${keyOf(device)}: ${device.state}\n`);
      }
    report = next;
  }
  return report;
}

/** The questions that are open when a stop is released: stopped work goes on only when a person decides. */
async function tellQuestions(client: ApiClient): Promise<void> {
  const items: AttentionRecord[] = await client.all('/api/attention', { query: { state: 'open' } });
  const open = items.filter(({ actions }) => actions.length > 0);
  if (open.length === 0) return;
  process.stderr.write(
    `${open.length} ${open.length === 1 ? 'question waits' : 'questions wait'} for a decision (svc attention):\n` +
      open.map(({ id, kind, subject }) => `  ${id}  ${kind} ${subject}\n`).join(''),
  );
}

const deviceTable = (devices: readonly StoppedDevice[]): string[] =>
  devices.length === 0
    ? []
    : tableOf<StoppedDevice>('', {
        DEVICE: keyOf,
        COMPUTER: ({ computer }) => computer,
        STATE: ({ state }) => state,
        'LAST KNOWN': lastKnown,
      })(devices);

function lastKnown({ state, detail, doing, held_by: task, last_known: known }: StoppedDevice): string {
  if (state === 'stopped') return '';
  const what =
    doing === null
      ? ''
      : `${doing.function} ${JSON.stringify(doing.arguments)} since ${seconds(doing.since)}`;
  const since = known === null ? (detail ?? '') : `${known.state} at ${seconds(known.at)}`;
  return [since, what].filter((text) => text !== '').join(': ') + (task === null ? '' : `, task ${task}`);
}

function keyOf({ lab_name: lab, name }: StoppedDevice): string {
  return `${lab}.${name}`;
}

function warn(text: string): void {
  process.stderr.write(`NOT CONFIRMED: ${text}\n`);
}
