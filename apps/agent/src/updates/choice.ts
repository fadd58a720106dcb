import type { OfferedPackage } from '@lab/trust/offer';

/** Operating system and processor of this computer, as in the names of packages. */
export const platformHere = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

export interface Choice {
  packages: readonly OfferedPackage[];
  platform: string;
  /** Version that this computer runs. */
  current: string;
  /** The version that a person named; undefined: the newest. */
  to: string | undefined;
  /** A version that failed on this computer. */
  failed?: { version: string; why: string; at: string } | undefined;
}

/** The package for a computer, or a sentence that says why there is none to install. */
export type Chosen = { package: OfferedPackage } | { nothing: string };

/**
 * Chooses the newest version, if it is newer than the one that runs and has not failed here. An older one, or one that has
 * failed, must be named.
 *
 * @throws Error when the named version is not offered
 */
export function choose({ packages, platform, current, to, failed }: Choice): Chosen {
  const offered = packages
    .filter((each) => each.platform === platform)
    .sort((a, b) => compareVersions(b.version, a.version));
  const named = offered.find(({ version }) => version === to);
  if (to !== undefined) {
    if (to === current) return { nothing: `This computer runs version ${current} already.` };
    if (named !== undefined) return { package: named };
    const all = offered.map(({ version }) => version).join(', ') || 'none';
    throw new Error(`the service has no version ${to} for ${platform}; it has: ${all}`);
  }
  const newer = offered.filter(({ version }) => compareVersions(version, current) > 0);
  const [best] = newer.filter(({ version }) => version !== failed?.version);
  if (best !== undefined) return { package: best };
  if (newer.length > 0 && failed !== undefined)
    return {
      nothing: `Version ${failed.version} failed here at ${failed.at}: ${failed.why}. To try it again: svc-agent update --to ${failed.version}`,
    };
  return {
    nothing: `This computer runs version ${current}, and the service has no newer one for ${platform}.`,
  };
}

/** As Semantic Versioning 2.0 orders them. @returns negative: the first is older */
export function compareVersions(first: string, second: string): number {
  const [one, other] = [partsOf(first), partsOf(second)];
  for (const index of [0, 1, 2]) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.pre === undefined || other.pre === undefined)
    return Number(one.pre === undefined) - Number(other.pre === undefined);
  return one.pre.localeCompare(other.pre, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: number[]; pre: string | undefined } {
  const [, core = '', pre] = /^([\d.]+)(?:-([^+]*))?/.exec(version) ?? [];
  return { numbers: core.split('.').map(Number), pre };
}
