import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import {
  authorityRing,
  issueCredentials,
  processRing,
  readKeys,
  withNewAgentKey,
  withNewAuthority,
  withNewProcessKeys,
  type Keys,
} from '@lab/trust';
import { agentIssuerKey } from '@lab/trust/agent-issuer';
import type { Overlap } from '@lab/trust/key-ring';
import { authorityKeyText } from '../stack/broker-access.js';
import { readIfThere, writePrivately } from '../stack/private-files.js';
import { OwnAuthority } from '../stack/own-authority.js';
import { seconds, stateOf, type KeyState, type StoredKey } from './key.js';
import { pathOf, type Environment, type KeyPlace } from './ring-file.js';

/**
 * How long the broker accepts the new key before a gateway signs with it, in milliseconds. The leading orchestrator looks at
 * the file every 5 s, and tells the broker.
 */
const leadMs = 60_000;
/** Agents renew their credentials at half of 7 days. One that was off has until their end. */
const shortestForAgentsMs = 7 * 86_400_000;
/** Agents ask every hour what the service has replaced. The new key signs after half of the overlap. */
const shortestForAuthorityMs = 86_400_000;

const place = { file: 'broker-keys', variable: 'SVC_BROKER_KEYS' } as const satisfies KeyPlace;

/** Text of the keys of the broker; undefined: the data folder has none. */
export const brokerKeysText = (dataDir: string, env: Environment): string | undefined =>
  readIfThere(pathOf(place, dataDir, env));

/** The file with the keys from which all rights on the broker follow, and the files that are made from it. */
class BrokerKeys {
  readonly path: string;
  readonly issuerPath: string;
  readonly authorityPath: string;

  constructor(
    private readonly dataDir: string,
    env: Environment,
  ) {
    this.path = pathOf(place, dataDir, env);
    this.issuerPath = pathOf({ file: 'agent-issuer', variable: 'SVC_AGENT_ISSUER' }, dataDir, env);
    this.authorityPath = pathOf({ file: 'authority-key', variable: 'SVC_AUTHORITY_KEY' }, dataDir, env);
  }

  /** Undefined: there are none. @throws Error in one sentence when the file is damaged */
  read(): Keys | undefined {
    const text = readIfThere(this.path);
    return text === undefined ? undefined : readKeys(text);
  }

  /** @throws Error in one sentence when there are none */
  demand(): Keys {
    const keys = this.read();
    if (keys !== undefined) return keys;
    throw new Error(`There is no ${this.path}: "svc start" makes the key when it first starts.`);
  }

  /**
   * Writes the keys, and then what is made from them. After a crash in between, a repetition or the next "svc start" makes it.
   *
   * @param signed the roles whose credentials are signed anew
   */
  async write(keys: Keys, signed: readonly ProcessRole[]): Promise<void> {
    const text = `${JSON.stringify(keys)}\n`;
    writePrivately(this.path, text);
    if (readIfThere(this.issuerPath) !== undefined) writePrivately(this.issuerPath, agentIssuerKey(keys));
    if (readIfThere(this.authorityPath) !== undefined)
      writePrivately(this.authorityPath, authorityKeyText(keys));
    for (const role of signed) await this.#renew(role, keys);
    OwnAuthority.present(this.dataDir)?.publish(text);
  }

  /** Signs credentials anew that are files beside the keys. A process reads its file for each connection. */
  async #renew(role: ProcessRole, keys: Keys): Promise<void> {
    const folder = dirname(this.path);
    const beginning = `nats-credentials-${role}-`;
    for (const file of readdirSync(folder).filter((each) => each.startsWith(beginning))) {
      const name = decodeURIComponent(file.slice(beginning.length));
      writePrivately(join(folder, file), await issueCredentials(keys, role, name));
    }
  }
}

/** Admits agents: signs their credentials, and which packages of the agent there are. */
export function agentIssuer(dataDir: string, env: Environment): StoredKey {
  const name = 'agent-issuer';
  const use = 'credentials of agents, and which packages of the agent there are';
  const file = (): BrokerKeys => new BrokerKeys(dataDir, env);
  return {
    ...{ name, use },
    state: async (now) => {
      const keys = file().read();
      return keys === undefined ? undefined : { name, use, rotates: true, ...timesOf(keys, now) };
    },
    rotate: async ({ overlapMs }: Overlap, now) => {
      const kept = file();
      const keys = kept.demand();
      if (overlapMs !== 0 && overlapMs < shortestForAgentsMs)
        throw new Error(
          `An agent may need 7 days to renew its credentials. Give --overlap 7d or more, or --now, with which all agents renew at once.`,
        );
      // A gateway signs with the new key later than the broker accepts it.
      const renewed = withNewAgentKey(keys, now, { leadMs, overlapMs });
      await kept.write(renewed, ['agent']);
      const { since, next, previous } = timesOf(renewed, now);
      return [
        overlapMs === 0
          ? `${name} is new. The broker refuses credentials of the key before within 10 s. Agents that joined renew theirs through a gateway, and come back within a minute.`
          : `${name} is new, and signs from ${seconds(next ?? since)} on. The key before is accepted until ${seconds(previous)}. Agents renew their credentials meanwhile.`,
        takenAtOnce,
        `If a process runs on another computer, copy ${kept.path} there for orchestrators, and then ${kept.issuerPath} for gateways.`,
        'Credentials of "svc broker credentials" for agents must be made anew.',
      ];
    },
  };
}

/** Admits all processes but agents. */
export function processIssuer(dataDir: string, env: Environment): StoredKey {
  const name = 'process-issuer';
  const use = 'credentials of orchestrators, gateways, optimizers and tools';
  const file = (): BrokerKeys => new BrokerKeys(dataDir, env);
  return {
    ...{ name, use },
    state: async (now) => {
      const keys = file().read();
      return keys === undefined ? undefined : stateOf({ name, use }, processRing(keys), now);
    },
    rotate: async ({ overlapMs }: Overlap, now) => {
      const kept = file();
      await kept.write(
        withNewProcessKeys(kept.demand(), now, { overlapMs }),
        processRoles.filter((role) => role !== 'agent'),
      );
      return [
        overlapMs === 0
          ? `${name} is new. The broker cuts off processes with credentials of the key before within 10 s.`
          : `${name} is new. Credentials of the key before are accepted until ${seconds(new Date(now + overlapMs).toISOString())}.`,
        'The running processes on this computer connect with new credentials by themselves; none of them starts again.',
        `If a process runs on another computer, copy ${kept.path} there for orchestrators, and give each process new credentials: "svc broker credentials" makes them.`,
      ];
    },
  };
}

/** Signs what agents believe of the service. */
export function authorityKey(dataDir: string, env: Environment): StoredKey {
  const name = 'authority';
  const use = 'what agents believe: who has a device, code, certificate authorities';
  const file = (): BrokerKeys => new BrokerKeys(dataDir, env);
  return {
    ...{ name, use },
    state: async (now) => {
      const keys = file().read();
      return keys === undefined ? undefined : stateOf({ name, use }, authorityRing(keys), now);
    },
    rotate: async ({ overlapMs }: Overlap, now) => {
      const kept = file();
      const keys = kept.demand();
      if (overlapMs !== 0 && overlapMs < shortestForAuthorityMs)
        throw new Error(
          'Agents must learn of the new key before it signs. Give --overlap 24h or more, or --now, with which tasks that move devices of other computers at this moment fail.',
        );
      const renewed = withNewAuthority(keys, now, { overlapMs, leadMs: overlapMs / 2 });
      await kept.write(renewed, ['agent']);
      const [{ since }, before] = authorityRing(renewed);
      return [
        overlapMs === 0
          ? `${name} is new. Agents believe nothing that is signed with the key before, as soon as they have heard of it.`
          : `${name} is new, and signs from ${seconds(since)} on. The key before is believed until ${seconds(before?.until ?? null)}.`,
        takenAtOnce,
        'Agents of computers that joined take the new key by themselves, also after they were off.',
        `If a process runs on another computer, copy ${kept.issuerPath} there for gateways, and then ${kept.authorityPath} and ${kept.path} for orchestrators.`,
        'Credentials of "svc broker credentials" for agents must be made anew.',
      ];
    },
  };
}

const takenAtOnce =
  'The running processes on this computer take the new key at once; none of them starts again.';

function timesOf({ agents }: Keys, now: number): Pick<KeyState, 'since' | 'next' | 'previous'> {
  if (agents === undefined) return { since: null, next: null, previous: null };
  const isNext = Date.parse(agents.since) > now;
  const ends = agents.before.map(({ until }) => until).filter((until) => Date.parse(until) > now);
  return {
    // Since when the present key signs is known only of the newest.
    since: isNext ? null : agents.since,
    next: isNext ? agents.since : null,
    previous: ends.sort().at(-1) ?? null,
  };
}
