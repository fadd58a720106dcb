import { ServiceError, type DeletedPackageVersion, type Fault, type LabRights } from '@lab/contracts';
import type { AcceptedVersion, ActivePackage } from '@lab/persistence';
import type { DeploymentParts } from './deployments.js';
import { requireRoleFor } from './package-plan.js';

export interface DeletionAsked {
  name: string;
  sha256: string;
  /** Laboratories for which the caller has the role deployer. */
  deploy: LabRights['see'];
}

/** Deletes stored versions of packages that nobody needs. */
export class VersionDeletion {
  constructor(private readonly parts: Pick<DeploymentParts, 'loading' | 'cache' | 'versions' | 'epoch'>) {}

  /**
   * @param by who asks for it
   * @throws ServiceError `not_found`; `forbidden`; `wrong_state` that names everything that needs the version
   */
  remove({ name, sha256, deploy }: DeletionAsked, by: string): Promise<DeletedPackageVersion> {
    const { loading, versions } = this.parts;
    return loading.alone(async () => {
      const version = (await versions.accepted(name)).find((each) => each.sha256 === sha256);
      if (version === undefined)
        throw new ServiceError('not_found', `There is no version ${sha256} of the package "${name}".`);
      requireRoleFor(name, version.labs, deploy);
      const users = await this.#usersOf(version, await versions.active());
      if (users.length > 0)
        throw new ServiceError(
          'wrong_state',
          `The version ${sha256} of ${name} stays: ${users.map(({ message }) => message).join('; ')}.`,
          { faults: users },
        );
      await this.#delete(version, by, 'a person asked for it');
      return { package: name, sha256, size: version.size };
    });
  }

  /**
   * Deletes the versions of each package that nobody needs, but for the newest.
   *
   * @param keep how many of a package stay in any case
   * @returns what was deleted
   */
  async removeOld(keep: number): Promise<DeletedPackageVersion[]> {
    const { loading, versions } = this.parts;
    const kept = new Map<string, number>();
    const deleted: DeletedPackageVersion[] = [];
    for (const { package: name, sha256, size } of await versions.accepted()) {
      const newer = kept.get(name) ?? 0;
      kept.set(name, newer + 1);
      if (newer < keep) continue;
      // An activation or another deletion may have happened since the last look.
      const isDeleted = await loading.alone(async () => {
        const version = (await versions.accepted(name)).find((each) => each.sha256 === sha256);
        if (version === undefined) return false;
        if ((await this.#usersOf(version, await versions.active())).length > 0) return false;
        await this.#delete(version, 'service', `retention.keep_package_versions is ${keep}`);
        return true;
      });
      if (isDeleted) deleted.push({ package: name, sha256, size });
    }
    return deleted;
  }

  /** What needs a version: its package, loaded devices, and work that was accepted with its code. */
  async #usersOf(version: AcceptedVersion, active: readonly ActivePackage[]): Promise<Fault[]> {
    const { package: name, sha256, modules } = version;
    const row = active.find((each) => each.package === name);
    const own = new Set(modules);
    const labs = [...this.parts.loading.current.labs].filter(([, { devices }]) =>
      [...devices.values()].some(({ module }) => own.has(module.hash)),
    );
    const work = await this.parts.versions.workWith(modules);
    const because = (code: string, message: string): Fault => ({ path: 'sha256', code, message });
    return [
      ...(row?.sha256 === sha256 ? [because('active', 'it is active')] : []),
      ...(row?.previous === sha256
        ? [because('previous', 'it was active before, so that a rollback leads to it')]
        : []),
      ...(row?.waiting?.sha256 === sha256
        ? [because('waiting', 'it becomes active when work has ended')]
        : []),
      ...labs.map(([lab]) => because('in_use', `devices of the laboratory ${lab} run its code`)),
      ...work.map((label) => because('in_use', `${label} needs its code`)),
    ];
  }

  async #delete(version: AcceptedVersion, by: string, reason: string): Promise<void> {
    const { versions, epoch, cache, loading } = this.parts;
    await versions.remove(epoch, version, by, reason);
    await cache.forget(version.sha256).catch((error: unknown) =>
      loading.parts.log.warn('the folder of a deleted version could not be removed', {
        sha256: version.sha256,
        error,
      }),
    );
  }
}
