import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  ApiClient,
  PackageActivationRecord,
  PackageVersionRecord,
  PackageVersions,
} from '@lab/api-client';
import { ProblemError } from '@lab/api-client';
import type { PackageActivation } from '@lab/contracts';
import { formatDiagnostics } from '@lab/definitions/documents';
import { defineConfig, settings } from '@lab/runtime';
import type { Command } from 'commander';
import type { Origin } from '../../pkg/origin.js';
import type { PackedPackage } from '../../pkg/pack.js';
import { placeOf } from '../../pkg/place.js';
import {
  atService,
  json,
  person,
  personCommand,
  seconds,
  serviceCommand,
  startingMs,
  tableOf,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { exitCodes, RefusedError, UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

type OriginFlags = PersonFlags & Origin;

interface PackFlags {
  withoutWheels?: boolean;
}

interface ActivationFlags extends OriginFlags {
  expect?: string;
  drain?: boolean;
  dryRun?: boolean;
}

interface DeployFlags extends OriginFlags, PackFlags {
  key?: string;
  drain: boolean;
  dryRun?: boolean;
}

/** The wheels of libraries for Python can be larger than a package may be. */
const withoutWheels = [
  '--without-wheels',
  'leave out the wheels of libraries for Python, because the service has them (SVC_WHEELS)',
] as const;

/** Words for no package and for the package in the folder of packages, where a hash could stand. */
const words = ['none', 'folder'];
/** Milliseconds between two looks whether a version became active. */
const lookMs = 1_000;
/** Milliseconds for the service to bundle a large package. */
const checkingMs = 90_000;

/** Commands that bring packages to a running service by their hash. */
export function addDeployCommands(pkg: Command): void {
  pkg
    .command('pack')
    .description('write the packed form of a package, as upload sends it')
    .argument('<package>', 'a package, by its folder or name')
    .requiredOption('--out <file>', 'file to write (tar.gz); its folder is made')
    .option(...withoutWheels)
    .action(async (path: string, flags: { out: string } & PackFlags) => {
      try {
        const { packed } = await packedAt(path, flags);
        mkdirSync(dirname(resolve(flags.out)), { recursive: true });
        writeFileSync(flags.out, packed.bytes);
        process.stdout.write(`${packed.sha256}  ${flags.out}\n`);
      } catch (error) {
        process.stderr.write(`${userError(error)}\n`);
        process.exitCode = exitCodes.failed;
      }
    });

  const upload = withOrigin(
    personCommand(
      pkg,
      'upload',
      'upload a package as it is now; the service checks it and activates nothing',
    ),
  )
    .argument('<package>', 'a package, by its folder or name')
    .option(...withoutWheels);
  upload.action((path: string, flags: OriginFlags & PackFlags) =>
    atService(flags, async (client) => {
      const { packed, origin } = await packedAt(path, flags);
      const version = await uploaded(client, packed, origin, flags);
      return flags.json === true ? json(version) : [uploadLine(version)];
    }),
  );

  const activate = withOrigin(
    personCommand(pkg, 'activate', 'make an uploaded version of a package the active one'),
  )
    .argument('<name>', 'name of the package')
    .argument(
      '<version>',
      'hash of the version or its beginning; folder: the package in the folder of packages',
    )
    .option('--expect <version>', 'what must be active at present (default: what is active now)');
  withActivation(activate).action((name: string, version: string, flags: ActivationFlags) =>
    atService(flags, async (client) => {
      const known = await versionsOf(client, name);
      const expect = flags.expect === undefined ? known.active : hashOf(known, flags.expect);
      return activated(client, name, { sha256: hashOf(known, version), expect }, flags);
    }),
  );

  const rollback = withOrigin(
    personCommand(pkg, 'rollback', 'make the version active that was active before the present one'),
  ).argument('<name>', 'name of the package');
  withActivation(rollback).action((name: string, flags: ActivationFlags) =>
    atService(flags, async (client) => {
      const { active, previous } = await versionsOf(client, name);
      if (previous === 'none') throw new RefusedError(`no version of ${name} was active before ${active}`);
      return activated(client, name, { sha256: previous, expect: active }, flags);
    }),
  );

  serviceCommand(pkg, 'versions', 'list the uploaded versions of a package, newest first')
    .argument('<name>', 'name of the package')
    .action((name: string, flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const found = await versionsOf(client, name);
        return flags.json === true ? json(found) : versionLines(found);
      }),
    );

  serviceCommand(pkg, 'delete', 'delete an uploaded version of a package that nothing needs any more')
    .argument('<name>', 'name of the package')
    .argument('<version>', 'hash of the version or its beginning')
    .action((name: string, version: string, flags: ServiceFlags) =>
      atService(flags, async (client) => {
        const sha256 = hashOf(await versionsOf(client, name), version);
        const path = { package_name: name, sha256 };
        const deleted = await client.delete('/api/packages/{package_name}/{sha256}', { path });
        return flags.json === true ? json(deleted) : [`deleted ${name} ${short(sha256)}`];
      }),
    );

  withOrigin(
    personCommand(
      pkg,
      'deploy',
      'check a package, upload it, show what changes, and activate it when the running work has ended',
    ),
  )
    .argument('<package>', 'a package, by its folder or name')
    .option('--key <file>', 'sign the code with this key of svc pkg key new')
    .option(...withoutWheels)
    .option('--no-drain', 'refuse instead of waiting for work that uses a changed device')
    .option(
      '--dry-run',
      'show what would change, and store and activate nothing: needs the role dry_runner alone',
    )
    .action((path: string, flags: DeployFlags) => atService(flags, (client) => deploy(client, path, flags)));
}

function withOrigin(command: Command): Command {
  return command
    .option('--commit <id>', 'commit of the sources, for the record (default: what git has checked out)')
    .option('--author <name>', 'author of the commit, for the record (default: what git says)');
}

function withActivation(command: Command): Command {
  return command
    .option('--drain', 'if work uses a changed device: accept no new work, and wait until it has ended')
    .option('--dry-run', 'show what would change, and change nothing');
}

async function packedAt(
  path: string,
  flags: Origin & PackFlags,
): Promise<{ packed: PackedPackage; origin: Origin }> {
  const [{ packPackage }, { originOf }] = await Promise.all([
    import('../../pkg/pack.js'),
    import('../../pkg/origin.js'),
  ]);
  const { packageDir, userDir } = placeOf(path);
  if (packageDir === null) throw new UsageError(`${userDir} is no package; name the package`);
  return {
    packed: await packPackage(packageDir, flags.withoutWheels !== true),
    origin: await originOf(packageDir, flags),
  };
}

function uploaded(
  client: ApiClient,
  { name, sha256, bytes }: PackedPackage,
  origin: Origin,
  flags: PersonFlags,
): Promise<PackageVersionRecord> {
  return client.put('/api/packages/{package_name}/{sha256}', {
    path: { package_name: name, sha256 },
    query: { ...origin, by: person(flags) },
    packed: bytes,
    timeoutMs: checkingMs,
  });
}

/** The versions of a package. A package that the service does not know has none. */
async function versionsOf(client: ApiClient, name: string): Promise<PackageVersions> {
  try {
    return await client.get('/api/packages/{package_name}/versions', { path: { package_name: name } });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'not_found') throw error;
    const nothing = { active_since: null, activated_by: null, waiting: null, versions: [] };
    return { package: name, active: 'none', previous: 'none', ...nothing };
  }
}

/** The hash that begins with a text. @throws UsageError when none or several do */
function hashOf({ package: name, versions }: PackageVersions, text: string): string {
  if (words.includes(text)) return text;
  const found = versions.filter(({ sha256 }) => sha256.startsWith(text));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.sha256;
  throw new UsageError(
    found.length === 0
      ? `no version of ${name} begins with ${text}; see svc pkg versions ${name}`
      : `${found.length} versions of ${name} begin with ${text}; give more of the hash`,
  );
}

/** Activates a version, and waits until it is active. @throws RefusedError when it does not stay active, or nobody may look */
async function activated(
  client: ApiClient,
  name: string,
  activation: Pick<PackageActivation, 'sha256' | 'expect'>,
  flags: ActivationFlags,
): Promise<string[]> {
  const { commit, author, drain = false } = flags;
  const body = {
    ...{ ...activation, drain, dry_run: flags.dryRun === true, by: person(flags) },
    ...(commit === undefined ? {} : { commit }),
    ...(author === undefined ? {} : { author }),
  };
  const path = { package_name: name };
  const made = await client.post('/api/packages/{package_name}/activate', {
    path,
    body,
    timeoutMs: startingMs,
  });
  if (made.state === 'draining') await untilActive(client, made, flags);
  return flags.json === true ? json(made) : [...changeLines(made), endLine(made)];
}

async function untilActive(
  client: ApiClient,
  { package: name, sha256, waits_for: work }: PackageActivationRecord,
  flags: ServiceFlags,
): Promise<void> {
  if (flags.json !== true)
    process.stderr.write(`waiting until ${work.length === 0 ? 'work' : work.join(', ')} has ended\n`);
  for (;;) {
    const { active, waiting, versions } = await versionsOf(client, name).catch((error: unknown) => {
      if (!(error instanceof ProblemError) || error.problem.code !== 'unauthorized') throw error;
      throw new RefusedError(
        `The token ended while ${name} ${short(sha256)} waited for work. ` +
          `The service still makes it active when the work has ended: see svc pkg versions ${name}.`,
      );
    });
    if (waiting !== sha256) {
      if (active === sha256) return;
      const reason = versions.find((each) => each.sha256 === sha256)?.failure?.reason;
      throw new RefusedError(
        `${name} ${short(sha256)} did not become active: ${reason ?? `${active} is active`}`,
      );
    }
    await delay(lookMs);
  }
}

async function deploy(client: ApiClient, path: string, flags: DeployFlags): Promise<string[]> {
  const tell = (line: string): void => {
    if (flags.json !== true) process.stdout.write(`${line}\n`);
  };
  const place = placeOf(path);
  if (flags.key !== undefined) {
    const { readCodeKey, signPackage } = await import('../../pkg/signing.js');
    const signed = await signPackage(place, readCodeKey(flags.key), Date.now());
    tell(`signed ${signed.modules} modules of ${signed.package}`);
  }
  const { checkPackages } = await import('../../pkg/check.js');
  const { codeKey } = defineConfig({ codeKey: settings.codeKey }).load();
  const { errors, userDir, definitions } = await checkPackages(place, codeKey);
  if (errors.length > 0) throw new Error(formatDiagnostics(errors, { userDir }));
  tell(`no errors in ${definitions} definitions`);
  const { packed, origin } = await packedAt(path, flags);
  if (flags.dryRun === true) return tried(client, packed, flags);
  tell(uploadLine(await uploaded(client, packed, origin, flags)));
  const { active } = await versionsOf(client, packed.name);
  const activation = { sha256: packed.sha256, expect: active };
  if (active === packed.sha256) {
    tell(`${packed.name} ${short(active)} is active already`);
    return flags.json === true ? json(await versionsOf(client, packed.name)) : [];
  }
  return activated(client, packed.name, activation, { ...flags, ...origin });
}

async function tried(
  client: ApiClient,
  { name, sha256, bytes }: PackedPackage,
  flags: ServiceFlags,
): Promise<string[]> {
  const found = await client.post('/api/packages/{package_name}/{sha256}/dry-run', {
    path: { package_name: name, sha256 },
    packed: bytes,
    timeoutMs: checkingMs,
  });
  return flags.json === true ? json(found) : [...changeLines(found), endLine(found)];
}

const short = (sha256: string): string => (words.includes(sha256) ? sha256 : sha256.slice(0, 12));

function uploadLine({ package: name, sha256, size }: PackageVersionRecord): string {
  return `uploaded ${name} ${short(sha256)}, ${(size / 1024).toFixed(1)} KiB`;
}

function changeLines({
  definitions,
  devices,
  keeps_old: old,
  waits_for: work,
  state,
}: PackageActivationRecord): string[] {
  return [
    ...definitions.map(({ type, name, change }) => `  ${change} ${type} ${name}`),
    ...devices.map(({ lab, name, change }) =>
      change === 'changed' ? `  starts ${lab}.${name} again` : `  ${change} device ${lab}.${name}`,
    ),
    ...(old.length === 0 ? [] : [`  keeps its code: ${old.join(', ')}`]),
    ...(work.length === 0 || state === 'active' ? [] : [`  must end first: ${work.join(', ')}`]),
  ];
}

function endLine({ package: name, sha256, before, state }: PackageActivationRecord): string {
  return state === 'possible'
    ? `${name} ${short(sha256)} can become active; ${short(before)} is active`
    : `${name} ${short(sha256)} is active; before: ${short(before)}`;
}

function versionLines(found: PackageVersions): string[] {
  const table = tableOf<PackageVersionRecord>('no version was uploaded', {
    version: ({ sha256 }) => short(sha256),
    state: ({ sha256, active, failure }) =>
      active ? 'active' : sha256 === found.waiting ? 'waits' : failure === null ? '-' : 'went back',
    uploaded: ({ uploaded_at: at }) => seconds(at),
    by: ({ uploaded_by: by }) => by,
    commit: ({ commit }) => commit?.slice(0, 12) ?? '-',
    author: ({ author }) => author ?? '-',
  });
  const failures = found.versions.flatMap(({ sha256, failure }) =>
    failure === null ? [] : [`${short(sha256)} went back at ${seconds(failure.at)}: ${failure.reason}`],
  );
  return [`active: ${short(found.active)}`, ...table(found.versions), ...failures];
}
