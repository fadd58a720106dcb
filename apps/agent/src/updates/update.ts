import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, LockedError, type FileLock } from '@lab/runtime';
import { partsOf } from '@lab/trust/nkeys';
import { readOffer, type Offer, type OfferedPackage } from '@lab/trust/offer';
import { lockOf, requestStop } from '../installation/index.js';
import { GatewayDoor, type HttpWay } from '../joining/index.js';
import {
  giveToOwner,
  isVersion,
  keeperLock,
  readPointer,
  syncFolder,
  versionsIn,
  writePointer,
  type Pointer,
} from '../keeping/index.js';
import { choose } from './choice.js';
import { download } from './download.js';

/** What an update has done so far. After each step, the computer may lose its power. */
export type Stage = 'offered' | 'fetched' | 'unpacked' | 'placed' | 'pointed' | 'stopped';

export interface UpdateOptions {
  /** Data folder of the agent. */
  data: string;
  /** Address of the gateway. */
  gateway: string;
  way: HttpWay;
  /** Text of the credentials of the agent. */
  credentials: string;
  /** Version of this program. */
  version: string;
  platform: string;
  /** The version that a person named; undefined: the newest. */
  to?: string | undefined;
  /** Only says what there is. */
  onlyCheck?: boolean;
  /** Tells people. */
  say: (line: string) => void;
  /** Told after each step. */
  onStage?: (stage: Stage) => void;
  /** Free bytes on the disk of a folder. */
  freeBytes?: (folder: string) => Promise<number>;
  /** Milliseconds for the agent to stop. */
  stopMs?: number;
  /** Milliseconds until the new version serves or has failed. */
  waitMs?: number;
}

/** What an update is asked to do before it stops anything. */
export type PlaceOptions = Omit<UpdateOptions, 'onlyCheck' | 'stopMs' | 'waitMs'>;

/** `waits`: the next start of the agent tries the new version. */
export type Outcome = 'nothing to do' | 'offered' | 'waits' | 'serves';

const mebibyte = 1024 ** 2;
/** Room on the disk, in sizes of the archive: the archive itself, and its files, which are three times as large. */
const roomInArchives = 5;
const usualStopMs = 65_000;
/** The stop of the agent, the trial, and the stop of a version that does not serve, with a margin. */
const usualWaitMs = 240_000;
const lookEveryMs = 250;
const partial = '.partial-';

/**
 * Updates the agent of a data folder to a version that its service offers: fetches the package, verifies and unpacks it, points
 * to it, and stops the agent in order. Its keeper then starts the new version and goes back if that does not serve.
 *
 * @throws Error in one sentence. The version before works then.
 */
export async function update(options: UpdateOptions): Promise<Outcome> {
  const { say, data, onStage = () => undefined } = options;
  return alone(data, async () => {
    const outcome = await placeAlone(options);
    if (typeof outcome === 'string') return outcome;
    if (holderOf(keeperLock(data)) === undefined) {
      say(`Version ${outcome.placed} starts with the next "svc-agent run".`);
      return 'waits';
    }
    say('Stopping the agent in order, and starting the new version ...');
    return untilDecided(outcome.placed, options, onStage);
  });
}

/**
 * Does the same as {@link update} until the new version is in place and pointed to. The agent that runs is the caller, and stops
 * afterwards.
 *
 * @param point calls the given function, which points to the new version, or throws
 * @returns `runs`: the computer runs this version already, and nothing was done
 * @throws Error in one sentence, or what `point` throws. The version before works then.
 */
export function place(options: PlaceOptions, point: (write: () => void) => void): Promise<'placed' | 'runs'> {
  return alone(options.data, async () =>
    typeof (await placeAlone(options, point)) === 'string' ? 'runs' : 'placed',
  );
}

/** @throws Error also while another update of the data folder runs */
async function alone<Result>(data: string, act: () => Promise<Result>): Promise<Result> {
  const versions = versionsIn(data);
  mkdirSync(versions, { recursive: true, mode: 0o700 });
  giveToOwner(data, versions);
  const lock = lockFor(join(versions, 'update.lock'));
  try {
    return await act();
  } finally {
    lock.release();
  }
}

async function placeAlone(
  options: PlaceOptions & Pick<UpdateOptions, 'onlyCheck'>,
  point: (write: () => void) => void = (write) => write(),
): Promise<'nothing to do' | 'offered' | { placed: string }> {
  const { data, to, platform, say, onStage = () => undefined, onlyCheck = false } = options;
  const before = readPointer(data);
  const current = before?.version ?? before?.installed ?? options.version;
  const keeper = holderOf(keeperLock(data));
  if (before?.trial === true && keeper !== undefined)
    throw new Error(`version ${current} has just been started and has not served yet; try again later`);
  const offer = await offerOf(options);
  onStage('offered');
  const chosen = choose({ packages: offer.packages, platform, current, to, failed: before?.failed });
  if ('nothing' in chosen) {
    say(chosen.nothing);
    return 'nothing to do';
  }
  const { version, size } = chosen.package;
  const what = `version ${version} for ${platform}, ${(size / mebibyte).toFixed(1)} MiB`;
  say(`This computer runs version ${current}. The service has ${what}.`);
  if (onlyCheck) return 'offered';
  const agent = holderOf(lockOf(data));
  if (agent !== undefined && keeper === undefined)
    throw new Error(
      `the agent that runs as process ${agent} cannot be replaced while it runs; stop it with "svc-agent stop" and repeat the update`,
    );
  await install(chosen.package, options, before, onStage);
  const previous = before === undefined ? null : before.trial ? before.previous : before.version;
  const failed = before?.failed?.version === version ? undefined : before?.failed;
  const pointer: Pointer = { version, trial: true, starts: 0, previous };
  point(() => writePointer(data, failed === undefined ? pointer : { ...pointer, failed }, 'update'));
  onStage('pointed');
  return { placed: version };
}

/** Puts the files of a package into the folder of its version. */
async function install(
  offered: OfferedPackage,
  { data, gateway, way, version: own, freeBytes = freeOn }: PlaceOptions,
  before: Pointer | undefined,
  onStage: (stage: Stage) => void,
): Promise<void> {
  const { version, size } = offered;
  const versions = versionsIn(data);
  removeLeftovers(versions, [before?.version, before?.previous, before?.installed, own]);
  const free = await freeBytes(versions);
  if (free < size * roomInArchives)
    throw new Error(
      `the disk of ${data} has ${inMebibytes(free)} MiB free, and the update needs ${inMebibytes(size * roomInArchives)} MiB; delete something`,
    );
  const archive = join(versions, `${partial}${version}.archive`);
  const folder = join(versions, `${partial}${version}`);
  try {
    await download(gateway, way, offered, archive);
    onStage('fetched');
    // With its libraries, which an agent that merely runs does not need.
    const { unpack } = await import('./unpack.js');
    await unpack(archive, folder, offered, data);
    onStage('unpacked');
    rmSync(archive);
    // A version that is not in use, but may be here from before.
    rmSync(join(versions, version), { recursive: true, force: true });
    renameSync(folder, join(versions, version));
    syncFolder(versions);
    onStage('placed');
  } catch (error) {
    removeLeftovers(versions, undefined);
    throw error;
  }
}

/**
 * Removes what updates that were interrupted have left.
 *
 * @param inUse the versions that stay; undefined: all of them
 */
function removeLeftovers(versions: string, inUse: readonly (string | null | undefined)[] | undefined): void {
  for (const name of readdirSync(versions)) {
    const isOld = inUse !== undefined && isVersion(name) && !inUse.includes(name);
    if (isOld || name.startsWith(partial)) rmSync(join(versions, name), { recursive: true, force: true });
  }
}

/** Stops the agent, and waits until the keeper has decided about the new version. */
async function untilDecided(
  version: string,
  { data, say, stopMs = usualStopMs, waitMs = usualWaitMs }: UpdateOptions,
  onStage: (stage: Stage) => void,
): Promise<Outcome> {
  const end = performance.now() + waitMs;
  let stopped = false;
  for (;;) {
    const now = readPointer(data);
    if (now?.version !== version) {
      const { why = 'another version was installed' } = now?.failed ?? {};
      throw new Error(`version ${version} failed: ${why}. The version before runs again.`);
    }
    if (!now.trial) {
      say(`Version ${version} serves.`);
      return 'serves';
    }
    if (holderOf(keeperLock(data)) === undefined) {
      say(`The agent was stopped meanwhile. Version ${version} is tried with the next "svc-agent run".`);
      return 'waits';
    }
    // Until the trial has begun, it is the version before that runs.
    if (now.starts === 0) await requestStop(data, stopMs);
    if (!stopped) onStage('stopped');
    stopped = true;
    if (performance.now() > end)
      throw new Error(
        `version ${version} neither serves nor has failed within ${waitMs / 1_000} s; the log of the agent says why`,
      );
    await delay(lookEveryMs);
  }
}

/** What the service offers, if it is the one that this computer joined. @throws Error in one sentence */
async function offerOf({ data, gateway, way, credentials }: PlaceOptions): Promise<Offer> {
  const { issuer, since } = issuerOf(credentials);
  let text: string;
  try {
    text = await new GatewayDoor(gateway, way).get('/agents/packages');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${gateway} makes no offer: ${reason}. "svc-agent doctor" says what is wrong.`, {
      cause: error,
    });
  }
  const seen = join(versionsIn(data), 'offer.json');
  const offer = readOffer(jsonOf(text), issuer, Math.max(since, seenIn(seen)));
  const draft = join(versionsIn(data), '.draft-offer.json');
  writeFileSync(draft, JSON.stringify({ made_at: offer.made_at }), { mode: 0o600, flush: true });
  giveToOwner(data, draft);
  renameSync(draft, seen);
  return offer;
}

/** The key that signed the credentials of an agent, and when it did, in milliseconds since 1970. */
function issuerOf(credentials: string): { issuer: string; since: number } {
  const [, payload = ''] = partsOf(credentials).statement.split('.');
  const { iss = '', iat = 0 } = jsonOf(Buffer.from(payload, 'base64url').toString()) as {
    iss?: string;
    iat?: number;
  };
  return { issuer: iss, since: iat * 1_000 };
}

/** When the newest offer was made that this computer has seen; 0: it has seen none. */
function seenIn(path: string): number {
  try {
    return Date.parse((JSON.parse(readFileSync(path, 'utf8')) as { made_at: string }).made_at) || 0;
  } catch {
    return 0;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** @returns the process that holds a lock; undefined: none */
export function holderOf(path: string): number | undefined {
  try {
    acquireLock(path).release();
    return undefined;
  } catch (error) {
    if (error instanceof LockedError) return error.holder.pid;
    throw error;
  }
}

function lockFor(path: string): FileLock {
  try {
    return acquireLock(path);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(`another update runs as process ${error.holder.pid}; wait until it has ended`, {
      cause: error,
    });
  }
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const inMebibytes = (bytes: number): string => (bytes / mebibyte).toFixed(0);
