import type { DeployedPackage } from '@lab/definitions';
import type { PackageVersions } from '@lab/persistence';
import type { PackageCache } from './package-cache.js';
import type { Deployed, DeployedVersion } from './package-index.js';

/** The uploaded versions in the database, unpacked on this computer. */
export class DeployedPackages implements Deployed {
  constructor(
    private readonly versions: PackageVersions,
    private readonly cache: PackageCache,
  ) {}

  async active(): Promise<DeployedVersion[]> {
    const found: DeployedVersion[] = [];
    for (const { package: name, sha256, commit } of await this.versions.active())
      if (sha256 !== null) found.push({ name, root: await this.cache.rootOf(name, sha256), commit });
    return found;
  }

  async withModule(hash: string): Promise<DeployedPackage | undefined> {
    const version = await this.versions.withModule(hash);
    if (version === undefined) return undefined;
    return { name: version.package, root: await this.cache.rootOf(version.package, version.sha256) };
  }
}
