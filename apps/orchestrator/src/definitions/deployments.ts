import {
  isServiceError,
  noPackage,
  packageInFolder,
  ServiceError,
  toServiceError,
  type LabRights,
  type LoadedDevice,
  type PackageActivation,
  type PackageActivationRecord,
  type PackageVersionRecord,
} from '@lab/contracts';
import type { UnfinishedWork } from '@lab/engine';
import type {
  Activation,
  ActivePackage,
  PackageVersion,
  PackageVersions,
  WaitingActivation,
} from '@lab/persistence';
import type { Clock, Timers } from '@lab/ports';
import type { LoadedSet } from '../loaded/index.js';
import type { Difference } from './lab-difference.js';
import { isInUse } from './lab-loading.js';
import { guardOf, inTheWay, type LabStarts } from './lab-starts.js';
import { labelsOf, type Loading } from './loading.js';
import type { PackageCache } from './package-cache.js';
import type { DeployedVersion, ReadPackages } from './package-index.js';
import {
  concernedLabs,
  definitionChanges,
  deviceChanges,
  differencesOf,
  keepsOld,
  requireRoleFor,
  requireNoNewFaults,
  setAfter,
  type Exchange,
} from './package-plan.js';

export interface DeploymentParts {
  loading: Loading;
  starts: LabStarts;
  cache: PackageCache;
  versions: PackageVersions;
  /** Number of the term. */
  epoch: number;
  clock: Clock;
  timers: Timers;
}

export interface ActivationAsked {
  name: string;
  activation: PackageActivation;
  /** Laboratories for which the caller has the role deployer. */
  deploy: LabRights['see'];
}

/** A version that takes the place of the present one. */
interface VersionInPlace {
  name: string;
  /** Hash, or `folder`. */
  sha256: string;
  commit: string | null;
}

/** What an activation would do. */
interface Plan {
  name: string;
  /** Hash, or `folder`. */
  sha256: string;
  /** Hash, `folder` or `none`. */
  before: string;
  exchange: Exchange;
  read: ReadPackages;
  next: LoadedSet;
  labs: string[];
  differences: Map<string, Difference>;
}

/** Milliseconds between two looks whether the work of an activation that waits has ended. */
const lookMs = 500;
/** How often the database is asked, and how far apart, whether an activation was committed. */
const settleTries = 10;
const settleMs = 500;
const hint = 'wait for it, cancel it, or activate with "drain": true';

/** Checks and activates uploaded versions of packages. */
export class Deployments {
  readonly #waiting = new Map<string, WaitingActivation>();
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(private readonly parts: DeploymentParts) {}

  /**
   * Checks an uploaded version as if it were active, and makes it one that can be activated.
   *
   * @throws ServiceError `invalid` with every error; `forbidden`; `not_found`
   */
  async check({
    name,
    sha256,
    deploy,
  }: Pick<ActivationAsked, 'name' | 'deploy'> & { sha256: string }): Promise<PackageVersionRecord> {
    const { versions, loading, epoch } = this.parts;
    const version = await this.#version(name, sha256);
    const { exchange, read } = await this.#exchange(
      { name, sha256, commit: version.commit },
      await versions.active(),
    );
    const labs = concernedLabs(exchange, loading.current);
    requireRoleFor(name, labs, deploy);
    requireNoNewFaults(exchange);
    const code = read.catalog.code.find((each) => each.package === name);
    const found = {
      version: code?.version ?? null,
      labs,
      modules: code?.modules.map((each) => each.sha256) ?? [],
    };
    await versions.accept(epoch, name, sha256, found);
    const { checked: _checked, ...uploaded } = version;
    return { ...uploaded, ...found, active: false, active_since: null, failure: null };
  }

  /** What {@link activate} would do. @throws ServiceError as {@link activate}, but for work that is in the way */
  async tryOut(asked: ActivationAsked): Promise<PackageActivationRecord> {
    const plan = await this.#plan(asked);
    return this.#record(plan, 'possible');
  }

  /**
   * What {@link activate} would do with a version that is stored for this dry run alone. Nobody can activate it.
   *
   * @param labs laboratories for which the caller has the role dry_runner
   * @throws ServiceError `invalid` with the errors of the version; `forbidden`
   */
  async tryUpload({
    name,
    sha256,
    labs: held,
  }: {
    name: string;
    sha256: string;
    labs: LabRights['see'];
  }): Promise<PackageActivationRecord> {
    const { versions, loading } = this.parts;
    await loading.parts.index.refresh();
    const rows = await versions.active();
    try {
      const { exchange, read } = await this.#exchange({ name, sha256, commit: null }, rows);
      const target = { name, sha256, before: this.#activeOf(name, rows), exchange, read };
      return this.#record(this.#planned(target, held, 'dry_runner'), 'possible');
    } finally {
      await this.#forgetUnlessStored(name, sha256);
    }
  }

  /** Removes what a dry run has unpacked. Whoever uploads the same bytes has stored the version before they are checked. */
  async #forgetUnlessStored(name: string, sha256: string): Promise<void> {
    const { versions, cache, loading } = this.parts;
    try {
      if ((await versions.version(name, sha256)) === undefined) await cache.forget(sha256);
    } catch (error) {
      loading.parts.log.warn('what a dry run has unpacked could not be removed', { name, sha256, error });
    }
  }

  /**
   * Makes a version the active one, and loads it. If its devices do not become usable, everything stays as it was.
   *
   * @param by who asks for it
   * @throws ServiceError `wrong_state` when something else is active than expected, or work uses a changed device; `invalid`
   *   with the errors of the version; `forbidden`; `not_found`; `device_unavailable` after the service went back
   */
  activate(asked: ActivationAsked, by: string): Promise<PackageActivationRecord> {
    return this.parts.loading.alone(async () => {
      const plan = await this.#plan(asked);
      // It takes the place of one that waits.
      await this.#takeBack(plan.name);
      const record = this.#record(plan, 'active');
      try {
        return { ...record, started: await this.#make(plan, by) };
      } catch (error) {
        if (asked.activation.drain !== true || !isInUse(error)) throw error;
        await this.#wait(plan, by);
        return { ...record, state: 'draining', waits_for: this.#waitsFor(plan) };
      }
    });
  }

  /** Continues the activations that waited when the service stopped. */
  async resume(): Promise<void> {
    for (const { package: name, waiting } of await this.parts.versions.active())
      if (waiting !== null) this.#waiting.set(name, waiting);
    await this.#drain([...this.#waiting.values()].flatMap(({ labs }) => labs));
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
  }

  #work(): UnfinishedWork[] {
    return this.parts.loading.parts.engine.views.unfinishedWork();
  }

  /** @throws ServiceError `not_found` */
  async #version(name: string, sha256: string): Promise<PackageVersion> {
    const version = await this.parts.versions.version(name, sha256);
    if (version !== undefined) return version;
    throw new ServiceError('not_found', `There is no version ${sha256} of the package "${name}".`);
  }

  /** The packages with this version in place of the present one. */
  async #exchange(
    { name, sha256, commit }: VersionInPlace,
    active: readonly ActivePackage[],
  ): Promise<{ exchange: Exchange; read: ReadPackages }> {
    const { index } = this.parts.loading.parts;
    const deployed: DeployedVersion[] = [];
    for (const each of active)
      if (each.package !== name && each.sha256 !== null)
        deployed.push(await this.#unpacked(each.package, each.sha256, each.commit));
    if (sha256 !== packageInFolder) deployed.push(await this.#unpacked(name, sha256, commit));
    const read = await index.readWith(deployed);
    return { exchange: { name, before: index.catalog, after: read.catalog }, read };
  }

  async #unpacked(name: string, sha256: string, commit: string | null): Promise<DeployedVersion> {
    return { name, root: await this.parts.cache.rootOf(name, sha256), commit };
  }

  /** @throws ServiceError as of {@link activate}, but for work that is in the way */
  async #plan({ name, activation, deploy }: ActivationAsked): Promise<Plan> {
    const { versions, loading } = this.parts;
    const { sha256, expect } = activation;
    const version = sha256 === packageInFolder ? undefined : await this.#version(name, sha256);
    if (version?.checked === false)
      throw new ServiceError('not_found', `The version ${sha256} of the package "${name}" was not accepted.`);
    await loading.parts.index.refresh();
    const rows = await versions.active();
    const before = this.#activeOf(name, rows);
    if (before !== expect)
      throw new ServiceError('wrong_state', `${before} is active of the package ${name}, not ${expect}`, {
        faults: [{ path: 'expect', code: 'other_version', message: `${before} is active`, hint: before }],
      });
    const { exchange, read } = await this.#exchange({ name, sha256, commit: version?.commit ?? null }, rows);
    if (sha256 === packageInFolder && !read.catalog.packages.includes(name))
      throw new ServiceError('not_found', `The folder of packages has no package "${name}".`);
    return this.#planned({ name, sha256, before, exchange, read }, deploy, 'deployer');
  }

  /** @param held laboratories for which the caller has the role @throws ServiceError `forbidden`, `invalid` */
  #planned(
    target: Pick<Plan, 'name' | 'sha256' | 'before' | 'exchange' | 'read'>,
    held: LabRights['see'],
    role: 'dry_runner' | 'deployer',
  ): Plan {
    const { current, parts } = this.parts.loading;
    const { name, exchange } = target;
    const labs = concernedLabs(exchange, current);
    requireRoleFor(name, labs, held, role);
    requireNoNewFaults(exchange);
    const next = setAfter(exchange, current, parts.configured);
    return { ...target, next, labs, differences: differencesOf(current, next) };
  }

  #activeOf(name: string, rows: readonly ActivePackage[]): string {
    const row = rows.find((each) => each.package === name);
    if (row !== undefined && row.sha256 !== null) return row.sha256;
    return this.parts.loading.parts.index.catalog.packages.includes(name) ? packageInFolder : noPackage;
  }

  /** Loads the version and makes it the active one. If that fails, everything is as before. */
  async #make(plan: Plan, by: string): Promise<LoadedDevice[]> {
    const { loading, starts } = this.parts;
    const { name, before, differences } = plan;
    const { index } = loading.parts;
    const next = { ...plan.next, draining: this.#withoutEnded(plan.next.draining) };
    const { present } = index;
    const started = new Map(
      [...differences].flatMap(([lab, { restarted }]) =>
        next.labs.has(lab) ? [[lab, restarted] as const] : [],
      ),
    );
    const hashOf = (active: string): string | null =>
      active === packageInFolder || active === noPackage ? null : active;
    const change = {
      ...{ package: name, expect: hashOf(before), sha256: hashOf(plan.sha256), by },
      previous: before === plan.sha256 ? await this.#previousOf(name) : before,
    };
    // Before a device runs the code: its first call is stored with the origin, and its agent asks for the signature.
    await index.adopt(plan.read);
    try {
      const devices = await starts.start(next, started, guardOf(differences, hint), () =>
        this.#commit(change),
      );
      // Whoever read the packages meanwhile has read the version before.
      await index.adopt(plan.read);
      loading.parts.engine.deploymentSucceeded(name);
      return [...devices.values()].flat();
    } catch (error) {
      await index.adopt(present);
      if (isInUse(error)) throw error;
      const isBack = isServiceError(error) && error.code === 'device_unavailable';
      const failure = isBack ? await this.#wentBack(plan, error) : error;
      await this.#tell(name, plan.sha256, by, toServiceError(failure).message);
      throw failure;
    }
  }

  /** @throws ServiceError as of `PackageVersions.activate`; then the version is not active, as far as the database answers */
  async #commit(change: Activation): Promise<void> {
    const { versions, epoch, loading, timers } = this.parts;
    try {
      await versions.activate(epoch, change, loading.record());
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'store_unavailable') throw error;
      // The connection may have broken after the commit.
      for (let left = settleTries; left > 0; left -= 1) {
        await new Promise<void>((resolve) => timers.after(settleMs, resolve));
        const rows = await versions.active().catch(() => undefined);
        const row = rows?.find((each) => each.package === change.package);
        if (rows === undefined) continue;
        if (row !== undefined && row.sha256 === change.sha256) return;
        break;
      }
      throw error;
    }
  }

  /** Drains without those of activations that wait no more. */
  #withoutEnded(draining: LoadedSet['draining']): LoadedSet['draining'] {
    const waiting = new Set([...this.#waiting.values()].flatMap(({ labs }) => labs));
    return new Map([...draining].filter(([lab, purpose]) => purpose !== 'deploy' || waiting.has(lab)));
  }

  async #previousOf(name: string): Promise<string> {
    const row = (await this.parts.versions.active()).find((each) => each.package === name);
    return row?.previous ?? noPackage;
  }

  /** Notes why a version did not stay active. @returns the error for the caller */
  async #wentBack(plan: Plan, error: ServiceError): Promise<ServiceError> {
    const back = plan.before === noPackage ? 'no version of it is active' : `${plan.before} stays active`;
    const reason = `${error.message}; ${back}`;
    await this.#noteFailure(plan.name, plan.sha256, reason);
    return new ServiceError(error.code, reason, { faults: error.faults, effect: error.effect, cause: error });
  }

  /** Tells people of a failure: the caller may not wait for the answer any more. */
  async #tell(name: string, sha256: string, by: string, reason: string): Promise<void> {
    const { versions, loading, clock } = this.parts;
    const version = await versions.version(name, sha256).catch(() => undefined);
    const { commit = null, author = null } = version ?? {};
    const at = clock.now();
    loading.parts.engine.deploymentFailed({ package: name, sha256, commit, author, by, reason, at });
  }

  async #noteFailure(name: string, sha256: string, reason: string): Promise<void> {
    const { versions, epoch, clock, loading } = this.parts;
    const at = new Date(clock.now()).toISOString();
    try {
      await versions.noteFailure(epoch, name, sha256, reason, at);
    } catch (error) {
      loading.parts.log.error('why a version did not stay active could not be noted', {
        name,
        reason,
        error,
      });
    }
  }

  /** @param plan that was not carried out yet */
  #record(plan: Plan, state: 'possible' | 'active'): PackageActivationRecord {
    const { name, sha256, before, exchange, labs, next, differences } = plan;
    const keeping = keepsOld(this.#work(), this.parts.loading.current, next, labs);
    return {
      ...{ package: name, sha256, before, state, labs },
      definitions: definitionChanges(exchange),
      devices: deviceChanges(differences),
      keeps_old: labelsOf(keeping),
      waits_for: state === 'active' ? [] : this.#waitsFor(plan),
      started: [],
    };
  }

  #waitsFor({ differences }: Plan): string[] {
    const work = this.#work();
    const found = [...differences].flatMap(([lab, each]) => inTheWay(work, lab, each));
    return [...new Set(labelsOf(found))];
  }

  /** Accepts no new work in the laboratories whose devices change, and activates when the present work has ended. */
  async #wait({ name, sha256, differences }: Plan, by: string): Promise<void> {
    const { versions, epoch, loading } = this.parts;
    const labs = [...differences.keys()].filter((lab) => loading.current.labs.has(lab));
    const waiting = { sha256, by, labs };
    await versions.wait(epoch, name, waiting);
    this.#waiting.set(name, waiting);
    await this.#drain(labs);
    this.#look();
  }

  async #drain(labs: readonly string[]): Promise<void> {
    const { loading } = this.parts;
    const draining = new Map(loading.current.draining);
    for (const lab of labs) if (loading.current.labs.has(lab)) draining.set(lab, 'deploy');
    if (labs.length === 0) return;
    await loading.apply({ ...loading.current, draining });
    await loading.remember();
  }

  /** Ends an activation that waits: its laboratories accept work again. */
  async #takeBack(name: string): Promise<void> {
    const { versions, epoch, loading } = this.parts;
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    await versions.wait(epoch, name, null);
    this.#waiting.delete(name);
    const draining = new Map(loading.current.draining);
    for (const lab of waiting.labs) if (draining.get(lab) === 'deploy') draining.delete(lab);
    await loading.apply({ ...loading.current, draining });
    await loading.remember();
  }

  #look(): void {
    this.#cancelLook?.();
    if (this.#stopped || this.#waiting.size === 0) return;
    this.#cancelLook = this.parts.timers.after(lookMs, () => {
      const { loading } = this.parts;
      loading
        .alone(() => this.#finish())
        .catch((error: unknown) => loading.parts.log.error('an activation could not be finished', { error }))
        .finally(() => this.#look());
    });
  }

  async #finish(): Promise<void> {
    for (const [name, waiting] of [...this.#waiting]) {
      const { current } = this.parts.loading;
      const isTakenBack = waiting.labs.some((lab) => current.draining.get(lab) !== 'deploy');
      if (isTakenBack) {
        await this.#giveUp(
          name,
          waiting,
          'a person has loaded, reloaded or unloaded its laboratories meanwhile',
        );
        continue;
      }
      const work = this.#work();
      if (waiting.labs.some((lab) => work.some((each) => each.labs.has(lab)))) continue;
      await this.#finishOne(name, waiting);
    }
  }

  async #finishOne(name: string, waiting: WaitingActivation): Promise<void> {
    const { versions } = this.parts;
    try {
      const expect = this.#activeOf(name, await versions.active());
      const activation = { sha256: waiting.sha256, expect };
      const plan = await this.#plan({ name, activation, deploy: 'all' });
      this.#waiting.delete(name);
      await this.#make(plan, waiting.by);
    } catch (error) {
      this.#waiting.set(name, waiting);
      if (isServiceError(error) && error.code === 'store_unavailable') throw error;
      await this.#giveUp(name, waiting, toServiceError(error).message);
    }
  }

  async #giveUp(name: string, waiting: WaitingActivation, reason: string): Promise<void> {
    this.parts.loading.parts.log.error('a version of a package did not become active; the one before stays', {
      package: name,
      sha256: waiting.sha256,
      reason,
    });
    await this.#noteFailure(name, waiting.sha256, reason);
    await this.#tell(name, waiting.sha256, waiting.by, reason);
    await this.#takeBack(name);
  }
}
