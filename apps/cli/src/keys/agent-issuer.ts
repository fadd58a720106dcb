import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { issueCredentials, readKeys, withNewAgentKey, type Keys } from '@lab/trust';
import { agentIssuerKey } from '@lab/trust/agent-issuer';
import type { Overlap } from '@lab/trust/key-ring';
import { readIfThere, writePrivately } from '../stack/data-folder.js';
import { seconds, type KeyState, type StoredKey } from './key.js';
import { pathOf, type Environment } from './ring-file.js';

/**
 * How long the broker accepts the new key before a gateway signs with it, in milliseconds. The leading orchestrator looks at
 * the file every 5 s, and tells the broker.
 */
const leadMs = 60_000;
/** Agents renew their credentials at half of 7 days. One that was off has until their end. */
const shortestMs = 7 * 86_400_000;

/** Admits agents: signs their credentials, and which packages of the agent there are. */
export function agentIssuer(dataDir: string, env: Environment): StoredKey {
  const name = 'agent-issuer';
  const use = 'credentials of agents, and which packages of the agent there are';
  const keysPath = pathOf({ file: 'broker-keys', variable: 'SVC_BROKER_KEYS' }, dataDir, env);
  const issuerPath = pathOf({ file: name, variable: 'SVC_AGENT_ISSUER' }, dataDir, env);
  const read = (): Keys | undefined => {
    const text = readIfThere(keysPath);
    return text === undefined ? undefined : readKeys(text);
  };
  return {
    ...{ name, use },
    state: async (now) => {
      const keys = read();
      return keys === undefined ? undefined : { name, use, rotates: true, ...timesOf(keys, now) };
    },
    rotate: async ({ overlapMs }: Overlap, now) => {
      const keys = read();
      if (keys === undefined)
        throw new Error(`There is no ${keysPath}: "svc start" makes the key when it first starts.`);
      if (overlapMs !== 0 && overlapMs < shortestMs)
        throw new Error(
          `An agent may need 7 days to renew its credentials. Give --overlap 7d or more, or --now, with which all agents renew at once.`,
        );
      const renewed = withNewAgentKey(keys, now, { leadMs, overlapMs });
      writePrivately(keysPath, `${JSON.stringify(renewed)}\n`);
      // A gateway signs with the new key later than the broker accepts it.
      if (readIfThere(issuerPath) !== undefined) writePrivately(issuerPath, agentIssuerKey(renewed));
      await renewFiles(dirname(keysPath), renewed);
      const { since, next, previous } = timesOf(renewed, now);
      return [
        overlapMs === 0
          ? `${name} is new. The broker refuses credentials of the key before within 10 s. Agents that joined renew theirs through a gateway, and come back within a minute.`
          : `${name} is new, and signs from ${seconds(next ?? since)} on. The key before is accepted until ${seconds(previous)}. Agents renew their credentials meanwhile.`,
        'The running processes on this computer take the new key at once; none of them starts again.',
        `If a process runs on another computer, copy ${keysPath} there for orchestrators, and then ${issuerPath} for gateways.`,
        'Credentials of "svc broker credentials" for agents must be made anew.',
      ];
    },
  };
}

/** Signs the credentials of agents anew that are files beside the keys. Such an agent reads its file for each connection. */
async function renewFiles(folder: string, keys: Keys): Promise<void> {
  const beginning = 'nats-credentials-agent-';
  for (const name of readdirSync(folder).filter((each) => each.startsWith(beginning))) {
    const computer = decodeURIComponent(name.slice(beginning.length));
    writePrivately(join(folder, name), await issueCredentials(keys, 'agent', computer));
  }
}

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
