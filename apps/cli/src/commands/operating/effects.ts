import type { AuditRecord, CodeRecord, EffectRecord } from '@lab/api-client';
import { effectStates } from '@lab/contracts/vocabulary';
import { Option, type Command } from 'commander';
import { asks, facts, seconds, serviceCommand, tableOf, type ServiceFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { deviceFilter } from './device-filter.js';

interface EffectFlags extends ServiceFlags {
  device?: string;
  task?: string;
  run?: string;
  campaign?: string;
  person?: string;
  state?: EffectRecord['state'];
  around?: string;
  since?: string;
  until?: string;
  limit?: number;
}

interface AuditFlags extends ServiceFlags {
  person?: string;
  action?: string;
  subject?: string;
  since?: string;
  until?: string;
  limit?: number;
}

/** What `--around` shows before and after its moment, in milliseconds. */
const aroundMs = 600_000;
/** Default of `--limit`. */
const usualLimit = 100;

/** Commands that answer who moved what, with which code, and who did what in the service. */
export function addEffectsCommands(program: Command): void {
  const effects = 'show the calls that may have moved a device, latest last, or one call by its id';
  asks(
    serviceCommand(program, 'effects', effects)
      .argument('[call]', 'id of a call')
      .option('--device <lab.device>', 'only calls of this device')
      .option('--task <name>', 'only calls of tasks with this name')
      .option('--run <name>', 'only calls of this protocol run')
      .option('--campaign <name>', 'only calls of this campaign')
      .option('--person <name>', 'only calls of this person')
      .addOption(new Option('--state <state>', 'only calls in this state').choices(effectStates))
      .option('--around <moment>', 'ten minutes before and after, for example 14:02 or 2026-11-20T14:02:00Z')
      .option('--since <moment>', 'only calls that began at this time or later')
      .option('--until <moment>', 'only calls that began before this time')
      .option('--limit <count>', `most calls, the latest, 1 to 500 (default ${usualLimit})`, Number),
    async (client, flags: EffectFlags, call?: string): Promise<EffectRecord[] | EffectRecord> => {
      if (call !== undefined) return client.get('/api/effects/{id}', { path: { id: call } });
      const { task, run, campaign, person, state, limit = usualLimit } = flags;
      const query = { task, protocol_run: run, campaign, person, state, limit };
      const { items } = await client.get('/api/effects', {
        query: { ...query, ...deviceFilter(flags), ...timesOf(flags, new Date()) },
      });
      return items.toReversed();
    },
    (found, flags) => {
      if (!Array.isArray(found)) return effectFacts(found);
      return found.length === 0 ? [nothingFound(flags)] : effectTable(found);
    },
  );
  asks(
    serviceCommand(program, 'audit', 'show the acts of people in the service, latest last')
      .option('--person <name>', 'only acts of this person')
      .option('--action <action>', 'only acts of this kind, for example queue.pause')
      .option('--subject <subject>', 'only acts on this, for example campaign/sweep')
      .option('--since <moment>', 'only acts at this time or later')
      .option('--until <moment>', 'only acts before this time')
      .option('--limit <count>', `most acts, the latest, 1 to 500 (default ${usualLimit})`, Number)
      .allowExcessArguments(false),
    async (client, { person, action, subject, limit = usualLimit, ...flags }: AuditFlags) => {
      const query = { by: person, action, subject, limit, ...timesOf(flags, new Date()) };
      return (await client.get('/api/audit', { query })).items.toReversed();
    },
    tableOf<AuditRecord>('no acts', {
      AT: ({ at }) => seconds(at),
      BY: ({ by }) => by,
      ACTION: ({ action }) => action,
      SUBJECT: ({ subject }) => subject,
      DETAIL: ({ detail }) => (Object.keys(detail).length === 0 ? '' : JSON.stringify(detail)),
    }),
  );
  asks(
    serviceCommand(
      program,
      'code',
      'print the code with this hash, as it was bundled from its package',
    ).argument('<hash>', 'content hash, as in the records of tasks and calls'),
    (client, _flags: ServiceFlags, hash: string) => client.get('/api/code/{hash}', { path: { hash } }),
    ({ text, origins }) => [...origins.map((origin) => `// ${originOf(origin)}`), text],
  );
}

/** An empty list names what it lists, because a misspelt name or another day has no calls either. */
function nothingFound(flags: EffectFlags): string {
  const { device, task, run, campaign, person, state } = flags;
  const { since, until } = timesOf(flags, new Date());
  const given = { device, task, run, campaign, person, state, since, until };
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return ['no calls', ...named.map(([name, value]) => `${name} ${value}`)].join(', ');
}

const effectTable = tableOf<EffectRecord>('no calls', {
  BEGAN: ({ began_at: at }) => seconds(at),
  ENDED: ({ ended_at: at }) => seconds(at),
  DEVICE: ({ lab, device }) => `${lab}.${device}`,
  CALL: (effect) => `${effect.function} ${JSON.stringify(effect.arguments)}`,
  BY: callerOf,
  STATE: ({ state }) => state,
});

function effectFacts(effect: EffectRecord): string[] {
  const { result, error } = effect;
  return [
    `${effect.lab}.${effect.device}: ${effect.function} ${JSON.stringify(effect.arguments)}`,
    ...facts({
      state: effect.state,
      began: seconds(effect.began_at),
      ended: effect.ended_at === null ? null : seconds(effect.ended_at),
      by: callerOf(effect),
      campaign: effect.campaign,
      attempt: effect.attempt_id,
      result: result === null ? null : JSON.stringify(result),
      error: error === null ? null : `${error.code}: ${error.message} (effect ${error.effect})`,
      computer: effect.computer,
      'clock offset': `${Math.round(effect.clock_offset_ms)} ms`,
      code: effect.code_hash,
      package: packageOf(effect),
      call: effect.id,
    }),
  ];
}

function packageOf(effect: EffectRecord): string | null {
  const {
    package: name,
    package_version: version,
    package_commit: commit,
    package_modified: modified,
  } = effect;
  return name === null ? null : versionText({ package: name, version, commit, modified });
}

type CodeOrigin = CodeRecord['origins'][number];

const originOf = (origin: CodeOrigin): string =>
  `${versionText(origin)}, first loaded ${seconds(origin.loaded_at)}`;

function versionText({ package: name, version, commit, modified }: Omit<CodeOrigin, 'loaded_at'>): string {
  const ofGit = commit === null ? '' : `, commit ${commit}${modified === true ? ' with changes' : ''}`;
  return `${name} ${version ?? 'without a version'}${ofGit}`;
}

function callerOf({ person, task, protocol_run: run, attempt_id: attempt }: EffectRecord): string {
  if (task !== null) return run === null ? task : `${run}/${task}`;
  return person ?? attempt ?? '-';
}

/** @param now for times of the day */
function timesOf(
  { around, since, until }: Pick<EffectFlags, 'around' | 'since' | 'until'>,
  now: Date,
): { since?: string; until?: string } {
  if (around !== undefined) {
    const at = momentOf('--around', around, now).getTime();
    return { since: new Date(at - aroundMs).toISOString(), until: new Date(at + aroundMs).toISOString() };
  }
  return {
    ...(since === undefined ? {} : { since: momentOf('--since', since, now).toISOString() }),
    ...(until === undefined ? {} : { until: momentOf('--until', until, now).toISOString() }),
  };
}

/** A time of today by the clock of this computer, or a moment in ISO 8601. */
function momentOf(flag: string, text: string, now: Date): Date {
  const time = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  // Date reads "2 pm" as a day of 2001, so only texts that begin with a date reach it.
  const isDated = /^\d{4}-\d\d-\d\d/.test(text);
  const moment = time === null ? new Date(isDated ? text : Number.NaN) : new Date(now);
  if (time !== null) moment.setHours(Number(time[1]), Number(time[2]), Number(time[3] ?? 0), 0);
  if (Number.isNaN(moment.getTime()))
    throw new UsageError(`${flag} must be a time such as 14:02 or 2026-11-20T14:02:00Z, not "${text}"`);
  return moment;
}
