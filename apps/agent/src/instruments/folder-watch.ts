import { randomBytes } from 'node:crypto';
import { watch, type Stats } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import type { AgentLog } from '@lab/actors';
import type { InstrumentFolder } from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import { allowedFolder, FolderRefused } from './allowed.js';
import type { Journal, Version } from './journal.js';
import { idOf, safeName, shownPath } from './names.js';
import { ownerOf, wantedBy, type Wanted } from './patterns.js';
import { scan, type ScannedFile } from './scan.js';
import { isVersion, takeFile } from './take.js';

/** Known files of which one round looks whether they were overwritten. The next round goes on after them. */
const knownPerRound = 500;
/** Pause between a reported change and the look, in milliseconds. */
const hintMs = 200;
/** The pause after a look is at least so many times as long as the look. */
const restShare = 4;
/** How far the time of a file may be ahead of this computer before it is not believed, in milliseconds. */
const aheadMs = 1_000;
const mega = 1_000_000;

export interface WatchPorts {
  /** For differences of time. */
  clock: Clock;
  /** Milliseconds since 1970. */
  wall: Clock;
  timers: Timers;
  log: AgentLog;
  journal: Journal;
  /** Folders that the operator of this computer has allowed. */
  roots: readonly string[];
  /** Whether author code runs as another user. */
  distrusts: boolean;
  /** A file was taken. */
  taken(): void;
}

/** A version that is not complete yet. */
interface Candidate {
  version: Version;
  /** When this version was first seen, by the clock and by the wall. */
  since: number;
  seenMs: number;
}

/**
 * Watches the folder of one device.
 *
 * Guarantees: a version of a file is taken at most once, and only when it is complete. What was in the folder before the first look is
 * not taken. Nothing in the folder is changed.
 */
export class FolderWatch {
  readonly #wanted: Wanted;
  readonly #candidates = new Map<string, Candidate>();
  readonly #stop = new AbortController();
  /** What was warned of, by path; '' is the folder. */
  readonly #warned = new Map<string, string>();
  #trouble: FolderRefused | undefined;
  /** Where the next round goes on with known files. */
  #from = 0;
  #wake: () => void = () => undefined;
  #round: Promise<void> = Promise.resolve();
  #unhint: () => void = noHint;
  /** A look is about to be brought forward. */
  #hurried = false;
  /** How long the last look took, in milliseconds. */
  #tookMs = 0;

  /** @throws TypeError when the pattern is none */
  constructor(
    readonly device: { lab: string; name: string },
    readonly spec: InstrumentFolder,
    private readonly ports: WatchPorts,
  ) {
    this.#wanted = wantedBy(spec.pattern);
  }

  /** Why the folder is not watched; undefined: it is. */
  get trouble(): FolderRefused | undefined {
    return this.#trouble;
  }

  start(): void {
    void this.#forEver();
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#unhint();
    this.#wake();
    await this.#round;
  }

  /** The folder without links. @throws FolderRefused */
  folder(): Promise<string> {
    return allowedFolder(this.spec.folder, this.ports.roots);
  }

  /** Looks once. Never rejects. */
  look(): Promise<void> {
    this.#round = this.#look().then(
      () => {
        this.#trouble = undefined;
        this.#warned.delete('');
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#trouble =
          error instanceof FolderRefused ? error : new FolderRefused(reason, false, { cause: error });
        this.#warn('', `the folder ${this.spec.folder} of ${this.#name} is not watched: ${reason}`);
      },
    );
    return this.#round;
  }

  get #name(): string {
    return `${this.device.lab}.${this.device.name}`;
  }

  async #forEver(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const began = this.ports.clock.now();
      await this.look();
      this.#tookMs = this.ports.clock.now() - began;
      await this.#pause(this.spec.poll_s * 1_000);
    }
  }

  async #look(): Promise<void> {
    const { journal } = this.ports;
    const folder = await this.folder();
    const found = await scan(folder, this.#wanted, this.spec.moved_to.replaceAll('\\', '/'));
    const key = JSON.stringify([folder, this.spec.pattern]);
    if (!journal.knows(key)) {
      await journal.begin(key, await this.#oldOf(found));
      this.ports.log.info('the folder of the instrument is watched', { folder, files: found.length });
    }
    this.#hint(folder);
    const paths = new Set(found.map(({ path }) => path));
    journal.forgetBut(paths);
    for (const path of this.#candidates.keys()) if (!paths.has(path)) this.#candidates.delete(path);
    for (const file of this.#turn(found)) {
      if (this.#stop.signal.aborted) return;
      await this.#examine(file, folder).catch((error: unknown) => this.#failed(file, error));
    }
  }

  /** Every new file and every candidate, and some of the known files. */
  #turn(found: readonly ScannedFile[]): ScannedFile[] {
    const known = found.filter(
      ({ path }) => this.ports.journal.versionOf(path) !== undefined && !this.#candidates.has(path),
    );
    const fresh = found.filter(
      ({ path }) => this.ports.journal.versionOf(path) === undefined || this.#candidates.has(path),
    );
    if (known.length <= knownPerRound) return [...fresh, ...known];
    const from = this.#from % known.length;
    this.#from = from + knownPerRound;
    return [...fresh, ...[...known, ...known].slice(from, from + knownPerRound)];
  }

  async #oldOf(found: readonly ScannedFile[]): Promise<Map<string, Version>> {
    const since = this.spec.since === undefined ? Infinity : Date.parse(this.spec.since);
    const old = new Map<string, Version>();
    for (const { path, place } of found) {
      const stat = await lstat(place).catch(() => undefined);
      if (stat !== undefined && stat.mtimeMs < since) old.set(path, versionOf(stat));
    }
    return old;
  }

  async #examine(file: ScannedFile, folder: string): Promise<void> {
    const { clock, wall, journal } = this.ports;
    const { path } = file;
    const stat = await lstat(file.place).catch(() => undefined);
    const version = stat === undefined ? undefined : versionOf(stat);
    const known = journal.versionOf(path);
    // An empty file says nothing: most programs make the file first and write it later.
    if (version === undefined || version.size === 0 || (known !== undefined && isVersion(version, known))) {
      this.#candidates.delete(path);
      return;
    }
    const before = this.#candidates.get(path);
    const candidate =
      before !== undefined && isVersion(version, before.version)
        ? before
        : { version, since: clock.now(), seenMs: wall.now() };
    this.#candidates.set(path, candidate);
    if (clock.now() - candidate.since < this.spec.stable_s * 1_000) return;
    if (version.size > this.spec.max_size_mb * mega) {
      this.#warn(
        path,
        `the file ${shownPath(path)} has ${version.size} bytes; max_size_mb allows ${this.spec.max_size_mb} MB`,
      );
      return;
    }
    await this.#take(file, folder, candidate, known === undefined);
  }

  async #take(file: ScannedFile, folder: string, candidate: Candidate, isNew: boolean): Promise<void> {
    const { journal, log } = this.ports;
    const { path } = file;
    const { version, seenMs } = candidate;
    const copy = randomBytes(16).toString('hex');
    const options = {
      ...{ folder, version, copy: journal.copy(copy), distrusts: this.ports.distrusts },
      signal: this.#stop.signal,
    };
    const got = await takeFile(file, options);
    if ('refused' in got) {
      const text = `the file ${shownPath(path)} is not taken: ${got.reason}`;
      if (got.reason === 'it changes') this.#candidates.delete(path);
      else if (got.refused === 'never' || got.reason.includes('no room')) this.#warn(path, text);
      else log.debug(text);
      return;
    }
    const { lab, name: device } = this.device;
    const { size, mtimeMs } = version;
    const { sha256 } = got;
    const claimed = isNew ? got.birthMs : mtimeMs;
    const shown = shownPath(path);
    try {
      await journal.take({
        ...{ path, copy, version },
        file: {
          id: idOf({ lab, device, path, size, modifiedMs: mtimeMs, sha256 }),
          ...{ lab, device, name: safeName(path), path: shown, size, sha256 },
          made_ms: claimed > 0 && claimed <= seenMs + aheadMs ? claimed : seenMs,
          modified_ms: mtimeMs,
          owner: ownerOf(this.spec, path),
        },
      });
    } catch (error) {
      await rm(options.copy, { force: true });
      throw error;
    }
    this.#candidates.delete(path);
    this.#warned.delete(path);
    log.info('a file of the instrument was taken', { file: shown, bytes: size });
    this.ports.taken();
  }

  #failed({ path }: ScannedFile, error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    // Gone meanwhile, or a program does not share it yet.
    if (code === 'ENOENT' || code === 'EBUSY' || this.#stop.signal.aborted) return;
    this.#warn(path, `the file ${shownPath(path)} cannot be taken yet: ${code ?? message}`);
  }

  #warn(about: string, text: string): void {
    if (this.#warned.get(about) === text) return;
    this.#warned.set(about, text);
    this.ports.log.warn(text);
  }

  /** Lets reported changes bring the next look forward. Shares report none. */
  #hint(folder: string): void {
    if (this.#unhint !== noHint) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#hurry());
      watcher.on('error', () => this.#unhint());
      this.#unhint = () => {
        watcher.close();
        this.#unhint = noHint;
      };
    } catch {
      // Polling finds everything.
    }
  }

  #hurry(): void {
    if (this.#hurried) return;
    this.#hurried = true;
    // A large folder that changes all the time is not looked at all the time.
    this.ports.timers.after(Math.max(hintMs, restShare * this.#tookMs), () => {
      this.#hurried = false;
      this.#wake();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.ports.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#stop.signal.aborted) this.#wake();
    });
  }
}

const noHint = (): void => undefined;

function versionOf({ size, mtimeMs }: Stats): Version {
  return { size, mtimeMs };
}
