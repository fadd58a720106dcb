import type { SchemaState } from '@lab/persistence/administration';

/** A process of a running service. */
export interface RunningProcess {
  /** `gateway`, or `agent bench_a`. */
  name: string;
  /** Null: the service does not know it. */
  version: string | null;
}

/** A running service, as far as it tells. */
export interface RunningService {
  processes: readonly RunningProcess[];
  /** Null: the service cannot tell. */
  schema: SchemaState | null;
  /** Null: the service cannot tell. */
  work: { waiting: number; running: number; open_questions: number } | null;
}

/** The release to which a service is upgraded. */
export interface NextRelease {
  version: string;
  /** The release before, which works beside this one. */
  before: string;
  /** In their order. */
  migrations: readonly string[];
  /** Last migration of the oldest release that works with its tables. */
  oldestReader: string;
}

export interface UpgradePlan {
  to: string;
  processes: (RunningProcess & { upgrade: string; forbidden: boolean })[];
  tables: { run: string[]; says: string; forbidden: boolean };
  work: string;
  /** The steps in their order; empty: there is nothing to upgrade. */
  order: string[];
  /** Number of things that forbid the upgrade. */
  forbidden: number;
}

/** Says what an upgrade will do, and what forbids it. See docs/guide/upgrading.md. */
export function planUpgrade({ processes, schema, work }: RunningService, next: NextRelease): UpgradePlan {
  const judged = processes.map((each) => ({ ...each, ...upgradeOf(each.version, next) }));
  const tables = tablesOf(schema, next);
  const isOutdated = judged.some(({ version }) => version !== null && version !== next.version);
  return {
    to: next.version,
    processes: judged,
    tables,
    work:
      work === null
        ? 'not known'
        : `${work.waiting} wait, ${work.running} run, ${work.open_questions} need attention; tasks that run go on`,
    order: isOutdated || tables.run.length > 0 ? orderOf(next.version, tables.run.length > 0) : [],
    forbidden: judged.filter(({ forbidden }) => forbidden).length + Number(tables.forbidden),
  };
}

interface Verdict {
  upgrade: string;
  forbidden: boolean;
}

/** A process may be of the release before, or of one within a minor version, whatever the patches. */
function upgradeOf(version: string | null, { version: to, before }: NextRelease): Verdict {
  if (version === null) return { upgrade: 'not known: it has not been heard', forbidden: false };
  if (version === to) return { upgrade: 'has this release', forbidden: false };
  const [from, target] = [numbersOf(version), numbersOf(to)];
  if (from === undefined || target === undefined)
    return { upgrade: `${version} is no version of a release`, forbidden: true };
  const [majors, minors] = [target.major - from.major, target.minor - from.minor];
  const isNewer = majors < 0 || (majors === 0 && (minors < 0 || (minors === 0 && from.patch > target.patch)));
  if (isNewer) return { upgrade: `it is newer than ${to}; use the svc of its release`, forbidden: true };
  const last = numbersOf(before);
  const isOfLast = from.major === last?.major && from.minor === last.minor;
  if (isOfLast || (majors === 0 && minors <= 1)) return { upgrade: `to ${to}`, forbidden: false };
  return {
    upgrade: `it is more than one release before ${to}; update it to ${before} first`,
    forbidden: true,
  };
}

function numbersOf(version: string): { major: number; minor: number; patch: number } | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version) ?? [];
  return major === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

function tablesOf(schema: SchemaState | null, next: NextRelease): UpgradePlan['tables'] {
  if (schema === null)
    return { run: [], says: 'not known: ask with the role viewer while all parts are ok', forbidden: true };
  const { latest, known, oldest_reader: oldest } = schema;
  const last = next.migrations.at(-1) ?? '';
  if (latest > last)
    return next.migrations.includes(oldest)
      ? {
          run: [],
          says: `the database has ${latest} of a newer release, which works with this one`,
          forbidden: false,
        }
      : { run: [], says: `the database is of a newer release: it has ${latest}`, forbidden: true };
  const run = next.migrations.filter((name) => name > latest);
  if (run.length === 0) return { run, says: 'they are up to date', forbidden: false };
  const names = `${run.join(', ')} will run`;
  return known >= next.oldestReader
    ? { run, says: `${names}; the present processes go on with the new tables`, forbidden: false }
    : {
        run,
        says: `${names}, and the present processes do not work with the new tables; stop all orchestrators and gateways before`,
        forbidden: true,
      };
}

const orderOf = (version: string, migrates: boolean): string[] => [
  'svc backup, and wait until it has ended',
  ...(migrates ? ['svc database migrate'] : []),
  'each orchestrator on standby, then the one that leads',
  'each gateway, then each optimizer worker',
  `svc agent rollout start --to ${version} --reason "release ${version}"`,
];
