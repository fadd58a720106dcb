import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@lab/ports';
import { AuthorityCheck } from '@lab/trust/authority';
import { readAuthorities, trustedIn, type AuthorityList } from '@lab/trust/authority-list';
import { GatewayDoor, GatewayRefusal, reasonOf } from './gateway-door.js';
import { joinedFiles, writeWhole } from './join.js';

/** Shortest time between two questions that a refused certificate causes, in milliseconds. */
const shortestPauseMs = 30_000;

export interface AuthoritiesOptions {
  /** Data folder of the agent. */
  dataDir: string;
  /** Address of the gateway. */
  gateway: string;
  proxy: string | undefined;
  /** Credentials, which name the key that this computer pinned when it joined. */
  credentials: () => string;
  log: Pick<Log, 'info' | 'warn'>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * The certificate authorities that this computer trusts for servers of its service. The service may replace them: it signs the
 * list of them with the key that this computer pinned when it joined. So the list may come over a connection that nobody
 * vouches for, on which the agent sends nothing secret.
 */
export class ServiceAuthorities {
  #list: AuthorityList | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = -Infinity;
  #warned = '';

  private constructor(
    private readonly options: AuthoritiesOptions,
    private readonly joined: string,
  ) {
    const kept = fileIn(options.dataDir, joinedFiles.authorityList);
    this.#list = kept === undefined ? undefined : this.#read(kept);
  }

  /**
   * @param configured PEM of the configuration
   * @returns undefined: somebody else than this agent cares for the authorities, or the computer trusts what its system trusts
   */
  static of(options: AuthoritiesOptions, configured: string | undefined): ServiceAuthorities | undefined {
    if (configured === undefined) return undefined;
    const isOwn = fileIn(options.dataDir, joinedFiles.authority)?.trim() === configured.trim();
    return isOwn ? new ServiceAuthorities(options, configured) : undefined;
  }

  /** PEM certificates of those that have not ended. */
  get trusted(): string {
    return this.#list === undefined ? this.joined : trustedIn(this.#list, this.#now());
  }

  /** A server has shown a certificate of another authority: asks for the list, at most twice a minute. */
  doubt(): void {
    if (this.#now() - this.#askedAt >= shortestPauseMs) void this.learn();
  }

  /** Asks a gateway for the list. What fails is logged: whoever needs the authorities then reports what it could not do. */
  learn(): Promise<void> {
    this.#asking ??= this.#learn().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #learn(): Promise<void> {
    const { dataDir, gateway, proxy, log } = this.options;
    this.#askedAt = this.#now();
    let signed: string;
    try {
      signed = (
        await new GatewayDoor(gateway, { proxy, unverified: true }).get('/agents/authorities')
      ).trim();
    } catch (error) {
      // 404: the service has never replaced its authority, or is of the release before.
      if (error instanceof GatewayRefusal && error.status === 404) return;
      return this.#warn(`the certificate authorities of the service are not known anew: ${reasonOf(error)}`);
    }
    const list = this.#read(signed);
    if (list === undefined)
      return this.#warn(
        `what answers at ${gateway} sends certificate authorities that the service of this computer has not signed; somebody may be in between`,
      );
    const seen = this.#list?.made_at;
    if (seen !== undefined && Date.parse(list.made_at) < Date.parse(seen))
      return this.#warn(
        `what answers at ${gateway} repeats a list of certificate authorities of ${list.made_at}, and this computer has one of ${seen}; somebody may be in between, or the service has an old backup`,
      );
    this.#warned = '';
    if (list.made_at === seen) return;
    this.#list = list;
    try {
      writeWhole(join(dataDir, joinedFiles.authority), this.trusted);
      // The last: with this file, the other one is of this list.
      writeWhole(join(dataDir, joinedFiles.authorityList), `${signed}\n`);
    } catch (error) {
      return this.#warn(`the new certificate authorities cannot be written: ${reasonOf(error)}`);
    }
    log.info('the service has new certificate authorities', { made_at: list.made_at });
  }

  #read(signed: string): AuthorityList | undefined {
    try {
      const check = AuthorityCheck.in(this.options.credentials());
      const list = check === undefined ? undefined : readAuthorities(signed, check);
      if (list !== undefined) trustedIn(list, this.#now());
      return list;
    } catch {
      return undefined;
    }
  }

  /** Once for each cause. */
  #warn(text: string): void {
    if (this.#warned !== text) this.options.log.warn(text);
    this.#warned = text;
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

function fileIn(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
