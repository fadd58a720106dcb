import { join } from 'node:path';
import type { Log, Timers } from '@lab/ports';
import { agentCredentials } from '@lab/trust/agent-key';
import { acceptedIn, authorityKeysIn } from '@lab/trust/authority';
import { codeKeyIn, codeKeyOf } from '@lab/trust/code-manifest';
import { partsOf } from '@lab/trust/nkeys';
import { makePass } from '@lab/trust/pass';
import { GatewayDoor, GatewayRefusal, type HttpWay } from './gateway-door.js';
import { admissionIn, joinedFiles, writeWhole } from './join.js';
import type { ServiceTrust } from './service-trust.js';

/** Pause before a failed renewal is repeated, in milliseconds; doubled up to the longest. */
const shortestPauseMs = 60_000;
const longestPauseMs = 3_600_000;
/** Longest time without a look at the clock, in milliseconds. The timers of a computer that sleeps stand still. */
const lookEveryMs = 3_600_000;

/** The credentials of this agent for the broker, which it renews at half of their time. */
export class AgentCredentials {
  #text: string;
  /** Whether the data folder has older credentials. */
  #unkept = false;
  /** The service may have replaced the key with which it signed them. */
  #doubted = false;
  #lookNow: (() => void) | undefined;

  /** @param text of a credentials file of NATS */
  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Shows a gateway who asks for a connection to the broker. */
  pass(now: number): string {
    return makePass(this.#text, 'broker', now);
  }

  /**
   * Renews credentials that have ended, for example while the computer was off. The broker refuses them.
   *
   * @param gateway address of the gateway
   * @throws Error in one sentence
   */
  async renewEnded(gateway: string, way: HttpWay, surroundings: RenewalSurroundings): Promise<void> {
    const { now = Date.now } = surroundings;
    const { until } = timesOf(this.#text);
    if (until === undefined || until > now()) return;
    const ended = `the credentials of this agent ended at ${new Date(until).toISOString()}`;
    try {
      await this.renew(gateway, way, surroundings);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${ended} and cannot be renewed: ${why}`, { cause: error });
    }
  }

  /** Renews the credentials now. @throws Error as {@link renewEnded} */
  async renew(gateway: string, way: HttpWay, surroundings: RenewalSurroundings): Promise<void> {
    this.#adopt(await this.#renewed(new GatewayDoor(gateway, way), gateway, surroundings), surroundings.log);
    this.#keep(surroundings);
  }

  /**
   * Renews the credentials for as long as the agent runs, and writes them to the data folder. Credentials without an end stay
   * as they are.
   *
   * @param gateway address of the gateway
   * @returns a function that ends it
   */
  keepFresh(gateway: string, way: HttpWay, surroundings: RenewalSurroundings): () => void {
    const { timers, log, now = Date.now } = surroundings;
    const door = new GatewayDoor(gateway, way);
    let ended = false;
    let cancel: (() => void) | undefined;
    const after = (ms: number): void => {
      cancel = timers.after(Math.min(Math.max(ms, 0), lookEveryMs), () => void look());
    };
    let pauseMs = shortestPauseMs;
    const repeat = (): void => {
      after(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    };
    const look = async (): Promise<void> => {
      const isDue = this.#doubted || (timesOf(this.#text).due ?? Infinity) <= now();
      try {
        if (isDue) {
          const renewed = await this.#renewed(door, gateway, surroundings);
          if (ended) return;
          this.#adopt(renewed, log);
        } else await surroundings.trust?.learn();
      } catch (error) {
        if (ended) return;
        const refused = error instanceof GatewayRefusal && error.status === 403;
        log[refused ? 'error' : 'warn']('the credentials of this agent could not be renewed', {
          error,
          next_try_s: pauseMs / 1_000,
        });
        return repeat();
      }
      if (this.#unkept && !this.#keep(surroundings)) return repeat();
      pauseMs = shortestPauseMs;
      after((timesOf(this.#text).due ?? Infinity) - now());
    };
    this.#lookNow = () => {
      cancel?.();
      void look();
    };
    const { due } = timesOf(this.#text);
    if (due !== undefined) after(this.#unkept ? pauseMs : due - now());
    return () => {
      ended = true;
      cancel?.();
    };
  }

  async #renewed(
    door: GatewayDoor,
    gateway: string,
    { version, trust, now = Date.now }: RenewalSurroundings,
  ): Promise<{ text: string; until: string }> {
    await trust?.learn();
    const { answer } = await door.post('/agents/renew', {
      pass: makePass(this.#text, 'renew', now()),
      version,
    });
    const { statement, authority, code_key: given, valid_until: until } = admissionIn(answer, gateway);
    const known = trust?.keys ?? acceptedIn(authorityKeysIn(this.#text), now());
    // The service signs code with the key of its authority, also for a computer that joined before it did so.
    if (
      (known.length > 0 && !known.includes(authority)) ||
      ![undefined, codeKeyOf(authority)].includes(given)
    )
      throw new Error(
        `${gateway} names another key of the service than when this computer joined. Somebody may answer in its place, or the service was set up anew: then join again.`,
      );
    // Who once had signed code demands it for good.
    const codeKey = given ?? (codeKeyIn(this.#text) === undefined ? undefined : codeKeyOf(authority));
    return { text: agentCredentials(partsOf(this.#text), statement, authority, codeKey), until };
  }

  /**
   * The broker was not reached for a while. It may refuse the credentials because the service has replaced the key that
   * signed them, so {@link keepFresh} renews them. Credentials without an end stay as they are.
   */
  doubt(): void {
    if (this.#doubted || timesOf(this.#text).due === undefined) return;
    this.#doubted = true;
    this.#lookNow?.();
  }

  /** The broker accepts the credentials. */
  trust(): void {
    this.#doubted = false;
  }

  #adopt({ text, until }: { text: string; until: string }, log: Log): void {
    this.#text = text;
    this.#unkept = true;
    this.#doubted = false;
    log.info('the credentials of this agent were renewed', { valid_until: until });
  }

  /** Writes the credentials. The agent goes on with them also when there is no room for them. @returns whether it succeeded */
  #keep({ dataDir, log }: RenewalSurroundings): boolean {
    try {
      writeWhole(join(dataDir, joinedFiles.credentials), this.#text);
      this.#unkept = false;
    } catch (error) {
      log.error('the renewed credentials of this agent could not be written into its data folder', { error });
    }
    return !this.#unkept;
  }
}

interface RenewalSurroundings {
  dataDir: string;
  version: string;
  timers: Timers;
  log: Log;
  /** Knows what the service has replaced. */
  trust?: Pick<ServiceTrust, 'learn' | 'keys'> | undefined;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Milliseconds since 1970. Undefined: the credentials have no end. */
interface Times {
  /** When half of their time is over. */
  due: number | undefined;
  until: number | undefined;
}

function timesOf(credentials: string): Times {
  const [, payload = ''] = partsOf(credentials).statement.split('.');
  const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    iat: number;
    exp?: number;
  };
  if (exp === undefined) return { due: undefined, until: undefined };
  return { due: ((iat + exp) / 2) * 1_000, until: exp * 1_000 };
}
