import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuthorLog } from '@lab/sdk';
import { isDefined, type CallContext, type ServerLock, type SilaClient } from '../client/index.js';
import { DurableFile } from './durable-file.js';
import type { LockTerms } from './settings.js';

/** The server is locked by another client. */
export class SilaLocked extends Error {
  override readonly name = 'SilaLocked';
}

interface Held {
  /** For whom, as in `fence 7`. */
  owner: string;
  identifier: string;
  terms: LockTerms;
  /** Until then the server surely keeps the lock, by the monotonic clock in milliseconds. */
  until: number;
}

export interface LockKeeperParts {
  client: SilaClient;
  lock: ServerLock;
  /** `<lab>.<device>`. */
  device: string;
  /** Null: nothing is kept. */
  folder: string | null;
  log: AuthorLog;
  /** Is told each identifier before it is sent: whoever knows it can free the lock. */
  conceal: (identifier: string) => void;
}

/**
 * Keeps the lock of a server for one owner at a time.
 *
 * Guarantees: the identifier of a lock is durable before the server gets it, so a successor of this process can free the lock, and nobody
 * else. A lock has a time limit on the server and is renewed, so that it ends soon when this process ends. The lock of another client is
 * never freed or used; it is waited for.
 */
export class LockKeeper {
  readonly #file: DurableFile<string[]>;
  #held: Held | undefined;
  /** Identifiers of earlier processes, whose locks the server may still have; undefined: not read yet. */
  #left: string[] | undefined;
  /** Whether the server counts use as renewal, as the standard says; undefined: not known yet. */
  #countsUse: boolean | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: LockKeeperParts) {
    const { folder } = parts;
    this.#file = new DurableFile(folder === null ? null : join(folder, 'lock.json'), []);
  }

  /** The owner of the lock; undefined: this device does not have it. */
  get owner(): string | undefined {
    return this.#held?.owner;
  }

  /**
   * Makes sure that the server is locked for the owner. Waits as long as the terms say if another client has the lock. A lock that
   * expired, or that a restart of the server ended, is taken again.
   *
   * @throws SilaLocked; SilaError, SilaConnectionError
   */
  hold(owner: string, terms: LockTerms, signal?: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#take(owner, terms, signal));
  }

  /**
   * As {@link hold}, unless this device has the lock for another owner: that lock stays, and serves both.
   *
   * @returns whether the lock is that of the owner, who has to free it
   */
  share(owner: string, terms: LockTerms, signal?: AbortSignal): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#held !== undefined && this.#held.owner !== owner && (await this.#isOurs(this.#held)))
        return false;
      await this.#take(owner, terms, signal);
      return true;
    });
  }

  /** Frees the lock. An owner who does not have it changes nothing. */
  release(owner?: string): Promise<void> {
    return this.#inTurn(async () => {
      if (owner === undefined || this.#held?.owner === owner) await this.#free();
    });
  }

  /** What a call sends along: the identifier, if the lock protects the call and this device has it. */
  async context(call: string): Promise<CallContext> {
    const { lock } = this.parts;
    return this.#held === undefined || !lock.protects(call) ? {} : lock.context(this.#held.identifier);
  }

  /** Ends the renewal. A lock that is still held expires. */
  close(): void {
    clearTimeout(this.#timer);
  }

  async #take(owner: string, terms: LockTerms, signal: AbortSignal | undefined): Promise<void> {
    if (this.#held?.owner === owner && (await this.#isOurs(this.#held))) return;
    if (this.#held !== undefined && this.#held.owner !== owner) await this.#free();
    this.#held = undefined;
    await this.#acquire(owner, terms, signal);
  }

  async #acquire(owner: string, terms: LockTerms, signal: AbortSignal | undefined): Promise<void> {
    const { lock, device, log } = this.parts;
    const { lock_timeout: timeout, lock_retry_delay: delay, lock_max_retries: retries } = terms;
    if (timeout === null) return;
    if (this.#left === undefined) {
      this.#left = await this.#file.read();
      this.#left.forEach(this.parts.conceal);
    }
    // It names the owner for people, and nobody can guess it.
    const identifier = `svc ${device} ${owner} ${randomUUID()}`;
    this.parts.conceal(identifier);
    await this.#file.write([identifier, ...this.#left]);
    const since = performance.now();
    const first = new Date();
    for (let tries = 1; ;) {
      signal?.throwIfAborted();
      const before = performance.now();
      try {
        await lock.lock(identifier, timeout);
        this.#held = { owner, identifier, terms, until: before + timeout * 1_000 };
        this.#left = [];
        await this.#file.write([identifier]);
        this.#renewLater();
        return;
      } catch (error) {
        if (!isDefined(error, 'ServerAlreadyLocked')) {
          // The server may have taken the lock although its answer was lost.
          this.#left = [identifier, ...this.#left];
          throw error;
        }
      }
      if (await this.#freeLeft()) continue;
      if (tries > retries) throw this.#lockedByAnother(tries, performance.now() - since, first);
      if (tries === 1) log.info(`${this.parts.client.label} is locked by another client; waiting`);
      tries += 1;
      await pause(delay * 1_000, undefined, { signal });
    }
  }

  /** Frees the lock that an earlier process of this device left. @returns whether there was one */
  async #freeLeft(): Promise<boolean> {
    for (const identifier of this.#left ?? []) {
      try {
        await this.parts.lock.unlock(identifier);
        this.parts.log.info(`freed the lock that an earlier process left on ${this.parts.client.label}`);
        return true;
      } catch (error) {
        if (!isDefined(error, 'InvalidLockIdentifier') && !isDefined(error, 'ServerNotLocked')) throw error;
      } finally {
        this.#left = (this.#left ?? []).filter((each) => each !== identifier);
      }
    }
    return false;
  }

  /** Whether the server still has our lock. Only while it surely lasts, a locked server is known to be locked by us. */
  async #isOurs(held: Held): Promise<boolean> {
    if (!(await this.parts.lock.isLocked())) {
      this.parts.log.warn(
        `the lock on ${this.parts.client.label} was gone: it expired, or the server restarted`,
      );
      return false;
    }
    return performance.now() < held.until || this.#renew(held);
  }

  async #free(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    clearTimeout(this.#timer);
    try {
      await this.parts.lock.unlock(held.identifier);
    } catch (error) {
      if (!isDefined(error, 'ServerNotLocked') && !isDefined(error, 'InvalidLockIdentifier')) {
        this.#left = [held.identifier];
        const seconds = String(held.terms.lock_timeout);
        this.parts.log.warn(
          `the lock on ${this.parts.client.label} was not freed (${String(error)}); it expires within ${seconds} s`,
        );
        return;
      }
    }
    await this.#file.write([]);
  }

  /** Renews the lock while it lasts. A server that ignores use gets it freed and taken again, which takes one round trip. */
  #renewLater(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    if (held?.terms.lock_timeout == null) return;
    const timeout = held.terms.lock_timeout * 1_000;
    const left = held.until - performance.now();
    // A server that is not known yet shows only after the end of the lock whether it counts use.
    const wait =
      this.#countsUse === undefined
        ? Math.min(timeout / 3, Math.max(left, 0) + 50)
        : this.#countsUse
          ? timeout / 3
          : Math.max(left - timeout / 5, 0);
    this.#timer = setTimeout(() => void this.#renewNow(held), wait).unref();
  }

  async #renewNow(held: Held): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#held !== held) return;
      try {
        if (!(await this.#renew(held))) {
          this.parts.log.error(
            `the lock on ${this.parts.client.label} is lost: another client has locked the server`,
          );
          held.until = 0;
          // The next effect waits for the lock again.
          return;
        }
      } catch (error) {
        this.parts.log.warn(`the lock on ${this.parts.client.label} was not renewed: ${String(error)}`);
      }
      if (this.#held === held) {
        this.#renewLater();
      }
    });
  }

  /** @returns false when another client has the lock */
  async #renew(held: Held): Promise<boolean> {
    const { lock } = this.parts;
    const timeout = (held.terms.lock_timeout ?? 0) * 1_000;
    const before = performance.now();
    // Its time is over, and it was used meanwhile: now the server shows whether it counts use.
    const outlasted =
      this.#countsUse === undefined && before >= held.until ? await lock.isLocked() : undefined;
    if (outlasted === false) this.#countsUse = false;
    if (this.#countsUse !== false) {
      const used = await this.#use(held);
      // If the server refuses the identifier, the lock that it has is that of another client, and shows nothing.
      if (used === true && outlasted === true) this.#countsUse = true;
      if (used === true && this.#countsUse === true) held.until = before + timeout;
      if (used === true) return true;
      if (used === undefined) this.#countsUse = false;
    }
    try {
      await lock.unlock(held.identifier);
    } catch (error) {
      if (isDefined(error, 'InvalidLockIdentifier')) return false;
      if (!isDefined(error, 'ServerNotLocked')) throw error;
    }
    const again = performance.now();
    try {
      await lock.lock(held.identifier, held.terms.lock_timeout ?? 1);
    } catch (error) {
      if (isDefined(error, 'ServerAlreadyLocked')) return false;
      throw error;
    }
    held.until = again + timeout;
    return true;
  }

  /** Reads a protected property with the lock. @returns whether the server accepted it; undefined: there is no such property */
  async #use(held: Held): Promise<boolean | undefined> {
    const { lock, client } = this.parts;
    const target = lock.protectedProperty(client);
    if (target === undefined) return undefined;
    try {
      await target.remote.get(target.property, {
        context: await lock.context(held.identifier),
        withinMs: 10_000,
      });
      return true;
    } catch (error) {
      if (isDefined(error, 'InvalidLockIdentifier')) return false;
      // Not all servers say it so when nothing is locked.
      if (!(await lock.isLocked())) return false;
      throw error;
    }
  }

  #lockedByAnother(tries: number, ms: number, first: Date): SilaLocked {
    const { client } = this.parts;
    return new SilaLocked(
      `${client.label} (UUID ${client.server.uuid}) is locked by another client, at least since ${first.toISOString()}: ` +
        `tried ${tries} times in ${(ms / 1_000).toFixed(1)} s. SiLA does not tell who that is. The lock ends when that client ` +
        'frees it, or has not used it for the time that it chose',
    );
  }

  /** Runs work after all earlier work. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
