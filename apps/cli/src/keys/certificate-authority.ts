import { X509Certificate } from 'node:crypto';
import type { Overlap } from '@lab/trust/key-ring';
import { authorityListPath, authorityPath, OwnAuthority } from '../stack/own-authority.js';
import { brokerKeysText } from './broker-keys.js';
import { seconds, stateOf, type StoredKey } from './key.js';
import type { Environment } from './ring-file.js';

/** Shortest overlap, in milliseconds. The new authority signs after half of it. Agents ask for the list every hour. */
const shortestMs = 86_400_000;

/** Certifies servers of the service. */
export function certificateAuthority(dataDir: string, env: Environment): StoredKey {
  const name = 'ca';
  const use = 'certificates of servers';
  return {
    ...{ name, use },
    state: async (now) => {
      const authority = OwnAuthority.present(dataDir);
      if (authority === undefined) return undefined;
      const state = stateOf({ name, use }, authority.ring, now);
      return { ...state, since: state.since ?? beginOf(authority.certificate) };
    },
    rotate: async ({ overlapMs }: Overlap, now) => {
      const authority = OwnAuthority.present(dataDir);
      if (authority === undefined)
        throw new Error(
          `There is no ${authorityPath(dataDir)}: "svc start" makes it with SVC_HTTPS_CERTIFICATE=own.`,
        );
      if (overlapMs !== 0 && overlapMs < shortestMs)
        throw new Error(
          'Computers must learn of the new authority before it signs. Give --overlap 24h or more, or --now, with which commands and browsers on other computers fail until people have copied the new ca.pem.',
        );
      const next = await authority.rotate(
        { overlapMs, leadMs: overlapMs / 2 },
        now,
        brokerKeysText(dataDir, env),
      );
      const [{ since }, before] = next.ring;
      return [
        overlapMs === 0
          ? `${name} is new. The authority before is trusted no more. The gateway of this computer has a new certificate within a minute.`
          : `${name} is new, and signs from ${seconds(since)} on. The authority before is trusted until ${seconds(before?.until ?? null)}.`,
        'Agents of computers that joined take the new authority by themselves, also after they were off.',
        `Copy ${authorityPath(dataDir)} to people who have a copy of it, and to gateways on other computers, with ${authorityListPath(dataDir)}.`,
        'Invitations of before are of no use any more: make new ones. Make certificates of "svc broker certificate" anew.',
      ];
    },
  };
}

/** From when a certificate is valid; null: the text is none. */
export function beginOf(pem: string): string | null {
  try {
    return new Date(new X509Certificate(pem).validFrom).toISOString();
  } catch {
    return null;
  }
}
