import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError, type AgentPackageRecord } from '@lab/contracts';
import { agentsPath } from './paths.js';

/** `svc-agent-0.1.0-linux-x64.tar.gz` */
const namePattern = /^svc-agent-(\d+\.\d+\.\d+[\w.+-]*?)-((?:linux|win|darwin)-\w+)\.(?:tar\.gz|zip)$/;

/** The packages of the agent in a folder, for computers that have no Internet. */
export class AgentPackages {
  /** SHA-256 by path, size and time of the last change, because a package has some 50 MB. */
  readonly #hashes = new Map<string, Promise<string>>();

  /**
   * @param folder undefined: there are none
   * @param publicUrl address of the gateway
   */
  constructor(
    private readonly folder: string | undefined,
    private readonly publicUrl: string,
  ) {}

  /** All packages, by name. A folder that does not exist has none. */
  async list(): Promise<AgentPackageRecord[]> {
    const names = this.folder === undefined ? [] : await readdir(this.folder).catch(noneIfAbsent);
    const records = names.sort().map((name) => this.#record(name));
    return (await Promise.all(records)).filter((record) => record !== undefined);
  }

  /** @throws ServiceError `not_found` */
  async open(name: string): Promise<{ size: number; content: ReadStream }> {
    const record = namePattern.test(name) ? await this.#record(name).catch(noneIfAbsent) : undefined;
    if (record === undefined || Array.isArray(record))
      throw new ServiceError('not_found', `There is no package "${name}" of the agent.`);
    return { size: record.size, content: createReadStream(join(this.folder ?? '', name)) };
  }

  async #record(name: string): Promise<AgentPackageRecord | undefined> {
    const [, version, platform] = namePattern.exec(name) ?? [];
    if (this.folder === undefined || version === undefined || platform === undefined) return undefined;
    const path = join(this.folder, name);
    const { size, mtimeMs } = await stat(path);
    const sha256 = await this.#hashOf(path, `${path} ${size} ${mtimeMs}`);
    return { name, version, platform, size, sha256, url: `${this.publicUrl}${agentsPath}/packages/${name}` };
  }

  #hashOf(path: string, key: string): Promise<string> {
    let known = this.#hashes.get(key);
    if (known === undefined) {
      const hash = createHash('sha256');
      known = pipeline(createReadStream(path), hash).then(() => hash.digest('hex'));
      this.#hashes.set(key, known);
      known.catch(() => this.#hashes.delete(key));
    }
    return known;
  }
}

function noneIfAbsent(error: unknown): [] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}
