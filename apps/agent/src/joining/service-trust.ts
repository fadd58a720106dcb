import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@lab/ports';
import { acceptedIn, AuthorityCheck, authorityKeysIn } from '@lab/trust/authority';
import {
  readAuthorities,
  trustedIn,
  writtenAuthorities,
  type AuthorityList,
} from '@lab/trust/authority-list';
import { followServiceKeys, keptServiceKeys, type KnownServiceKeys } from '@lab/trust/service-keys';
import { GatewayDoor, GatewayRefusal, reasonOf } from './gateway-door.js';
import { joinedFiles, writeWhole } from './join.js';

/** Shortest time between two questions that a refused certificate or signature causes, in milliseconds. */
const shortestPauseMs = 30_000;

export interface TrustOptions {
  /** Data folder of the agent. */
  dataDir: string;
  /** Address of the gateway. */
  gateway: string;
  proxy: string | undefined;
  /** Credentials, which name the key of the service that this computer pinned. */
  credentials: () => string;
  /** PEM certificates of the authorities for servers, as configured; undefined: those of the system. */
  configured: string | undefined;
  log: Pick<Log, 'info' | 'warn'>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Whom this computer believes: the keys with which its service signs, and the certificate authorities for servers of its service.
 * The service may replace both. It signs lists of them with the keys that were believed before, the first of which this
 * computer pinned when it joined. So the lists may come over a connection that nobody vouches for, on which the agent sends
 * nothing secret.
 */
export class ServiceTrust {
  /** Whether the certificate authorities are those of joining, for which this agent cares. */
  readonly #caresForAuthorities: boolean;
  /** Undefined: what was pinned at joining is all. */
  #keys: KnownServiceKeys | undefined;
  #authorities: AuthorityList | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = -Infinity;
  #warned = '';

  constructor(private readonly options: TrustOptions) {
    const { dataDir, configured } = options;
    this.#keys = keptServiceKeys(fileIn(dataDir, joinedFiles.serviceKeys) ?? '');
    this.#caresForAuthorities =
      configured !== undefined && fileIn(dataDir, joinedFiles.authority)?.trim() === configured.trim();
    const kept = this.#caresForAuthorities ? fileIn(dataDir, joinedFiles.authorityList) : undefined;
    // The key that vouched for it may have ended since.
    this.#authorities = kept === undefined ? undefined : wholeList(writtenAuthorities(kept.trim()));
  }

  /** Public keys of the service that have not ended, newest first. */
  get keys(): readonly string[] {
    return acceptedIn(this.#known.keys, this.#now());
  }

  /** PEM certificates of the authorities for servers that have not ended; undefined: those of the system. */
  get authorities(): string | undefined {
    return this.#authorities === undefined
      ? this.options.configured
      : trustedIn(this.#authorities, this.#now());
  }

  /**
   * A server has shown a certificate of another authority, or something is signed with another key: asks for the lists, at most
   * twice a minute.
   *
   * @returns when the answer is there, or at once if it was asked for recently. Never rejects
   */
  doubt(): Promise<void> {
    if (this.#asking !== undefined) return this.#asking;
    return this.#now() - this.#askedAt >= shortestPauseMs ? this.learn() : Promise.resolve();
  }

  /** Asks a gateway for the lists. What fails is logged: whoever needs them then reports what it could not do. */
  learn(): Promise<void> {
    this.#asking ??= this.#learn().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #learn(): Promise<void> {
    const { gateway, proxy } = this.options;
    this.#askedAt = this.#now();
    let text: string;
    try {
      text = await new GatewayDoor(gateway, { proxy, unverified: true }).get('/agents/authorities');
    } catch (error) {
      // 404: the service has never replaced anything, or is of the release before.
      if (error instanceof GatewayRefusal && error.status === 404) return;
      return void this.#warn(`what the service has replaced is not known anew: ${reasonOf(error)}`);
    }
    const signed = text.trim().split('\n');
    // First the keys, with which the other list is signed.
    if (this.#learnKeys(signed) && this.#learnAuthorities(signed)) this.#warned = '';
  }

  /** @returns false: it has warned */
  #learnKeys(signed: readonly string[]): boolean {
    const { log } = this.options;
    const list = followServiceKeys(signed, this.#known, this.#now());
    if (list === undefined) return true;
    this.#keys = list;
    log.info('the service has a new key', { made_at: list.made_at });
    return this.#write([joinedFiles.serviceKeys, `${JSON.stringify(list)}\n`]);
  }

  /** @returns false: it has warned */
  #learnAuthorities(signed: readonly string[]): boolean {
    if (!this.#caresForAuthorities || !signed.some((each) => writtenAuthorities(each) !== undefined))
      return true;
    const { gateway, log } = this.options;
    const lists = signed.map((each) => ({ each, list: this.#readAuthorities(each) }));
    const { each = '', list } = lists.find((read) => read.list !== undefined) ?? {};
    if (list === undefined)
      return this.#warn(
        `what answers at ${gateway} sends certificate authorities that the service of this computer has not signed; somebody may be in between`,
      );
    const seen = this.#authorities?.made_at;
    if (seen !== undefined && Date.parse(list.made_at) < Date.parse(seen))
      return this.#warn(
        `what answers at ${gateway} repeats a list of certificate authorities of ${list.made_at}, and this computer has one of ${seen}; somebody may be in between, or the service has an old backup`,
      );
    if (list.made_at === seen) return true;
    this.#authorities = list;
    log.info('the service has new certificate authorities', { made_at: list.made_at });
    return this.#write(
      [joinedFiles.authority, trustedIn(list, this.#now())],
      // The last: with this file, the other one is of this list.
      [joinedFiles.authorityList, `${each}\n`],
    );
  }

  #readAuthorities(signed: string): AuthorityList | undefined {
    try {
      return wholeList(readAuthorities(signed, new AuthorityCheck(() => this.keys)));
    } catch {
      return undefined;
    }
  }

  get #known(): KnownServiceKeys {
    return this.#keys ?? { keys: authorityKeysIn(this.options.credentials()) };
  }

  /** The agent believes what it has learned also when it cannot write it. @returns false: it has warned */
  #write(...files: readonly (readonly [name: string, text: string])[]): boolean {
    try {
      for (const [name, text] of files) writeWhole(join(this.options.dataDir, name), text);
      return true;
    } catch (error) {
      return this.#warn(`what the service has replaced cannot be written: ${reasonOf(error)}`);
    }
  }

  /** Once for each cause. @returns false */
  #warn(text: string): false {
    if (this.#warned !== text) this.options.log.warn(text);
    this.#warned = text;
    return false;
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

/** A list whose certificates can be read; undefined: it is none. */
function wholeList(list: AuthorityList | undefined): AuthorityList | undefined {
  try {
    if (list !== undefined) trustedIn(list, Date.now());
    return list;
  } catch {
    return undefined;
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
