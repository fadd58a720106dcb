import { join } from 'node:path';
import type { Log, Timers } from '@lab/ports';
import { agentCredentials } from '@lab/trust/agent-key';
import { partsOf } from '@lab/trust/nkeys';
import { makePass } from '@lab/trust/pass';
import { GatewayDoor, GatewayRefusal, type HttpWay } from './gateway-door.js';
import { admissionIn, joinedFiles, writeWhole } from './join.js';

/** Pause before a failed renewal is repeated, in milliseconds; doubled up to the longest. */
const shortestPauseMs = 60_000;
const longestPauseMs = 3_600_000;
/** Longest time of a timer of Node, in milliseconds. */
const longestTimerMs = 2_147_483_647;

/** The credentials of this agent for the broker, which it renews at half of their time. */
export class AgentCredentials {
  #text: string;

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
   * Renews the credentials for as long as the agent runs, and writes them to the data folder. Credentials without an end stay
   * as they are.
   *
   * @param gateway address of the gateway
   * @returns a function that ends it
   */
  keepFresh(
    gateway: string,
    way: HttpWay,
    { dataDir, version, timers, log, now = Date.now }: RenewalSurroundings,
  ): () => void {
    const door = new GatewayDoor(gateway, way);
    let ended = false;
    let cancel: (() => void) | undefined;
    const after = (ms: number): void => {
      cancel = timers.after(Math.min(Math.max(ms, 0), longestTimerMs), () => void renew());
    };
    let pauseMs = shortestPauseMs;
    const renew = async (): Promise<void> => {
      const due = dueAt(this.#text);
      if (due !== undefined && due > now()) return after(due - now());
      try {
        const { answer } = await door.post('/agents/renew', {
          pass: makePass(this.#text, 'renew', now()),
          version,
        });
        if (ended) return;
        const { statement, authority, valid_until: until } = admissionIn(answer, gateway);
        const text = agentCredentials(partsOf(this.#text), statement, authority);
        writeWhole(join(dataDir, joinedFiles.credentials), text);
        this.#text = text;
        pauseMs = shortestPauseMs;
        log.info('the credentials of this agent were renewed', { valid_until: until });
        after((dueAt(text) ?? now() + longestPauseMs) - now());
      } catch (error) {
        if (ended) return;
        const refused = error instanceof GatewayRefusal && error.status === 403;
        log[refused ? 'error' : 'warn']('the credentials of this agent could not be renewed', {
          error,
          next_try_s: pauseMs / 1_000,
        });
        after(pauseMs);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    };
    const due = dueAt(this.#text);
    if (due !== undefined) after(due - now());
    return () => {
      ended = true;
      cancel?.();
    };
  }
}

interface RenewalSurroundings {
  dataDir: string;
  version: string;
  timers: Timers;
  log: Log;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** When half of the time of the credentials is over, in milliseconds since 1970; undefined: they have no end. */
function dueAt(credentials: string): number | undefined {
  const [, payload = ''] = partsOf(credentials).statement.split('.');
  const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    iat: number;
    exp?: number;
  };
  return exp === undefined ? undefined : ((iat + exp) / 2) * 1_000;
}
