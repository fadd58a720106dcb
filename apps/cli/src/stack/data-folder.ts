import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock, LockedError, Secret, type FileLock } from '@lab/runtime';
import { readIfThere, writePrivately } from './private-files.js';

/** The secrets of a data folder. They need no lock: each file is written as a whole. */
export class SecretFiles {
  /** @param path of the data folder */
  constructor(readonly path: string) {}

  secretPath(name: string): string {
    return join(this.path, 'secrets', name);
  }

  /**
   * The text of a secret. The first one is 43 random characters that are safe in an address. It stays the same for this data
   * folder until `svc keys rotate`.
   */
  keptSecret(name: string): Secret {
    const path = this.secretPath(name);
    const kept = readIfThere(path)?.trim();
    if (kept !== undefined && kept !== '') return new Secret(kept);
    const secret = new Secret(randomText());
    this.writeSecret(name, secret);
    return secret;
  }

  /** Writes a secret that only this user can read, completely or not at all. Returns the path of the file. */
  writeSecret(name: string, secret: Secret): string {
    const path = this.secretPath(name);
    const text = `${secret.reveal()}\n`;
    // The time of a file then says since when its content is there.
    if (readIfThere(path) !== text) writePrivately(path, text);
    return path;
  }

  /** Removes a secret that is of no use without the running stack. */
  forget(name: string): void {
    rmSync(this.secretPath(name), { force: true });
  }
}

/** The folder with all data of one stack. */
export class DataFolder extends SecretFiles {
  readonly postgres: string;
  readonly nats: string;

  private constructor(
    path: string,
    private readonly lock: FileLock,
  ) {
    super(path);
    this.postgres = join(path, 'postgres');
    this.nats = join(path, 'nats');
    for (const folder of [join(path, 'secrets'), this.nats, join(path, 'run'), join(path, 'logs')]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    chmodSync(join(path, 'secrets'), 0o700);
  }

  /**
   * Creates the folder if it does not exist, and locks it for this process.
   *
   * @throws Error in one sentence when another stack uses it or it cannot be written
   */
  static take(path: string): DataFolder {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return new DataFolder(path, acquireLock(join(path, 'lock')));
    } catch (error) {
      if (error instanceof LockedError) {
        throw new Error(
          `Another stack (process ${error.holder.pid}) uses the data folder ${path}; stop it, or choose another folder with SVC_DATA_DIR.`,
          { cause: error },
        );
      }
      throw new Error(
        `The data folder ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }

  get lockPath(): string {
    return this.lock.path;
  }

  get processesPath(): string {
    return join(this.path, 'run', 'processes.json');
  }

  logPath(service: string): string {
    return join(this.path, 'logs', `${service}.log`);
  }

  release(): void {
    this.lock.release();
  }
}

/** See `BackupOptions.lineFile` of `@lab/backup`. */
export const backupLineIn = (dataDir: string): string => join(dataDir, 'run', 'backup-line');

/** 256 random bits, as 43 characters that are safe in an address. */
export const randomText = (): string => randomBytes(32).toString('base64url');
