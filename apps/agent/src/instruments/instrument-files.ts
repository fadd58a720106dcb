import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentLog, ArrivedFile, InstrumentFiles } from '@lab/actors';
import {
  decodeToken,
  encodeToken,
  ServiceError,
  type DeviceAssignment,
  type FoundDeviceFile,
  type InstrumentFolder,
} from '@lab/contracts';
import { jsonEqual, type Clock, type Timers } from '@lab/ports';
import { Delivery, type FileService, type Source } from './delivery.js';
import { FolderWatch } from './folder-watch.js';
import { Journal } from './journal.js';
import { expectedBy } from './patterns.js';
import { settle } from './settle.js';

export interface InstrumentFilesPorts {
  clock: Clock;
  wall: Clock;
  timers: Timers;
  log: AgentLog;
  service: FileService & {
    /** The files of a device that belong to an attempt, in the order in which they were stored. @throws ServiceError */
    ofAttempt(attemptId: string, device: { lab: string; name: string }): Promise<FoundDeviceFile[]>;
  };
}

export interface InstrumentFilesOptions {
  /** Folder of the agent for journals and copies. */
  folder: string;
  /** Folders that the operator of this computer has allowed. */
  roots: readonly string[];
  /** Whether author code runs as another user. */
  distrusts: boolean;
}

interface Own extends Source {
  watch: FolderWatch | undefined;
}

/**
 * The files that the instruments of this computer write into folders.
 *
 * Guarantees: a complete version of a file that the agent has seen is stored in the service once, whatever ends or fails in between.
 */
export class FolderFiles implements InstrumentFiles {
  readonly #own = new Map<string, Own>();
  readonly #delivery: Delivery;
  /** Devices of this computer to their folders; undefined: the device has none. */
  #assigned = new Map<string, InstrumentFolder | undefined>();
  /** Changes one after another. */
  #changes: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    private readonly ports: InstrumentFilesPorts,
    private readonly options: InstrumentFilesOptions,
  ) {
    this.#delivery = new Delivery(ports.service, () => this.#own.values(), ports.timers);
  }

  /** Continues what an earlier process has left. @throws the error of the disk */
  async start(): Promise<void> {
    const { folder } = this.options;
    const names = existsSync(folder) ? await readdir(folder) : [];
    for (const name of names) await this.#open(decodeToken(name));
    this.#delivery.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#changes;
    await Promise.all([...this.#own.values()].map(({ watch }) => watch?.stop()));
    await this.#delivery.stop();
    await Promise.all([...this.#own.values()].map(({ journal }) => journal.close()));
  }

  assign(devices: readonly DeviceAssignment[]): void {
    this.#assigned = new Map(devices.map(({ lab, name, files }) => [keyOf({ lab, name }), files]));
    this.#changes = this.#changes
      .then(() => this.#follow(devices))
      .catch((error: unknown) =>
        this.ports.log.error('the files of instruments cannot be taken', { reason: String(error) }),
      );
  }

  async next({
    attemptId,
    device,
    pattern,
    known,
  }: Parameters<InstrumentFiles['next']>[0]): Promise<ArrivedFile | undefined> {
    const key = keyOf(device);
    if (this.#assigned.has(key) && this.#assigned.get(key) === undefined)
      throw new ServiceError(
        'invalid',
        `the device ${key} has no files in lab.yml, so no file of it can come`,
      );
    const trouble = this.#own.get(key)?.watch?.trouble;
    if (trouble?.isFinal === true)
      throw new ServiceError('invalid', `the folder of ${key} is not watched: ${trouble.message}`);
    const matches = patternOf(pattern);
    const files = await this.ports.service.ofAttempt(attemptId, device);
    const found = files.find(({ id, path }) => !known.has(handleOf(id)) && matches(path));
    if (found === undefined) return undefined;
    const { id, name, size, sha256, ticket } = found;
    return { file: { handle: handleOf(id), name, size, sha256 }, ticket };
  }

  async #follow(devices: readonly DeviceAssignment[]): Promise<void> {
    const wanted = new Map(
      devices.flatMap(({ lab, name, files }) =>
        files === undefined ? [] : [[keyOf({ lab, name }), { lab, name, files }] as const],
      ),
    );
    for (const [key, own] of this.#own) {
      if (own.watch === undefined || jsonEqual(own.watch.spec, wanted.get(key)?.files)) continue;
      await own.watch.stop();
      own.watch = undefined;
    }
    for (const [key, { lab, name, files }] of wanted) {
      if (this.#isStopped) return;
      const own = this.#own.get(key) ?? (await this.#open(key));
      if (own.watch !== undefined) continue;
      own.watch = new FolderWatch({ lab, name }, files, {
        ...this.ports,
        ...this.options,
        ...{ log: own.log, journal: own.journal, taken: () => this.#delivery.hurry() },
      });
      own.watch.start();
    }
    this.#delivery.hurry();
  }

  async #open(key: string): Promise<Own> {
    const lab = key.slice(0, key.indexOf('.'));
    // Lines of devices also reach the people who run the lab.
    const log = this.ports.log.child({ lab, device: key, source: 'device' });
    const journal = await Journal.open(join(this.options.folder, encodeToken(key)), log);
    const own: Own = {
      ...{ journal, log, watch: undefined },
      settle: async (taken) => {
        const { watch } = own;
        if (watch === undefined || watch.spec.afterwards === 'keep') return false;
        return settle(taken, watch.spec, await watch.folder());
      },
    };
    this.#own.set(key, own);
    return own;
  }
}

function keyOf({ lab, name }: { lab: string; name: string }): string {
  return `${lab}.${name}`;
}

function handleOf(id: string): string {
  return `device-file/${id}`;
}

/** @throws ServiceError `invalid` */
function patternOf(pattern: string): (path: string) => boolean {
  try {
    return expectedBy(pattern);
  } catch (error) {
    throw new ServiceError('invalid', `"${pattern}" is no pattern for files; write for example *.csv`, {
      cause: error,
    });
  }
}
