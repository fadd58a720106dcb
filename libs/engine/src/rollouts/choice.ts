import { isReachable, ServiceError } from '@lab/contracts';
import type { AgentDirectory, Presence } from '../agents/index.js';
import type { RolloutRow, RolloutStepRow } from '../rows/index.js';
import { refusedField } from '../stops/index.js';

/** Which computers a rollout updates, and in which ring. */
export interface Wanted {
  version: string;
  /** Null: all whose agent is connected and runs another version. */
  computers: readonly string[] | null;
  canary: string | null;
  /** What the service offers. */
  packages: readonly { version: string; platform: string }[];
}

export type Chosen = Pick<RolloutRow, 'steps' | 'leftOut'>;

/**
 * @param known the computers that laboratories name or that have registered
 * @throws ServiceError `invalid` when a computer is not known, when none can be updated, or when a platform has no package
 */
export function chosenFor(
  { version, computers, canary, packages }: Wanted,
  directory: AgentDirectory,
  known: ReadonlySet<string>,
  now: number,
): Chosen {
  const unknown = computers?.findIndex((name) => !known.has(name)) ?? -1;
  if (computers !== null && unknown >= 0)
    throw refusedField(
      `computers[${unknown}]`,
      'unknown_computer',
      `names ${computers[unknown]}, which no laboratory names and which never registered`,
      `known: ${[...known].sort().join(', ')}`,
    );
  const leftOut: RolloutRow['leftOut'] = [];
  const fit: { computer: string; platform: string; version: string }[] = [];
  for (const computer of [...new Set(computers ?? known)].sort()) {
    const agent = directory.get(computer);
    const reason = whyNot(agent, version);
    if (reason !== null) {
      // Nobody has asked for a computer that has the version.
      if (computers !== null || agent?.version !== version) leftOut.push({ computer, reason });
    } else if (agent?.updates !== undefined)
      fit.push({ computer, platform: agent.updates.platform, version: agent.version });
  }
  requirePackages(version, fit, packages);
  if (fit.length === 0) {
    const why = leftOut.map(({ computer, reason }) => `${computer}: ${reason}`).join('; ');
    throw new ServiceError(
      'invalid',
      `No computer can be updated to ${version}${why === '' ? '; all that are connected run it' : `. ${why}`}.`,
    );
  }
  if (canary !== null && !fit.some(({ computer }) => computer === canary))
    throw refusedField(
      'canary',
      'not_chosen',
      `names ${canary}, which this rollout does not update`,
      `use one of ${fit.map(({ computer }) => computer).join(', ')}`,
    );
  const first = canary ?? fit[0]?.computer;
  const ordered = [
    ...fit.filter(({ computer }) => computer === first),
    ...fit.filter(({ computer }) => computer !== first),
  ];
  const rings = ringsOf(ordered.length);
  const steps = ordered.map(({ computer, platform, version: versionBefore }, index): RolloutStepRow => ({
    ...{ computer, ring: rings[index] ?? 1, platform, versionBefore },
    ...{ state: 'waiting', since: now, askedAt: null, inc: null, usable: [], failure: null },
  }));
  return { steps, leftOut };
}

/** The ring of each of `count` computers: one, a tenth (at least one), and the rest. */
export function ringsOf(count: number): number[] {
  const second = 1 + Math.max(1, Math.ceil(count / 10));
  return Array.from({ length: count }, (_, index) => (index === 0 ? 1 : index < second ? 2 : 3));
}

/** Why the agent cannot be updated, in words; null: it can. */
function whyNot(agent: Presence | undefined, version: string): string | null {
  if (agent === undefined || !isReachable(agent.state)) return 'its agent is not connected';
  if (agent.version === version) return `its agent runs version ${version} already`;
  if (agent.updates === undefined)
    return 'its agent does not say on which platform it runs, because it is of an earlier release; update it by hand';
  return agent.updates.refusal;
}

function requirePackages(
  version: string,
  fit: readonly { computer: string; platform: string }[],
  packages: Wanted['packages'],
): void {
  const lacking = new Map<string, string[]>();
  for (const { computer, platform } of fit)
    if (!packages.some((each) => each.version === version && each.platform === platform))
      lacking.set(platform, [...(lacking.get(platform) ?? []), computer]);
  if (lacking.size === 0) return;
  const offered = packages.map((each) => `${each.version} for ${each.platform}`).join(', ') || 'nothing';
  const words = [...lacking].map(([platform, names]) => `${platform} (${names.join(', ')})`).join(' and ');
  throw refusedField(
    'version',
    'not_offered',
    `names ${version}, which the service does not offer for ${words}`,
    `it offers: ${offered}`,
  );
}
