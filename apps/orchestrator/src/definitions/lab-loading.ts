import { isServiceError, ServiceError, type LabChange, type LoadedDevice } from '@lab/contracts';
import type { Timers } from '@lab/ports';
import type { UnfinishedWork } from '@lab/engine';
import type { LoadedSet } from '../loaded/index.js';
import { difference, namesOf } from './lab-difference.js';
import { guardOf, type LabStarts } from './lab-starts.js';
import { labelsOf, refuseInUse, type Loading } from './loading.js';
import { requireKnown, requireSound } from './package-index.js';

/** Milliseconds between two looks whether the work of a draining laboratory has ended. */
const drainLookMs = 500;

/** Loads, unloads and reloads laboratories while the service runs. */
export class LabLoading {
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(
    private readonly loading: Loading,
    private readonly starts: LabStarts,
    private readonly timers: Timers,
  ) {}

  /**
   * Loads laboratories from their files. A loaded one stays as it is, and a draining one continues.
   *
   * @throws ServiceError `invalid` with every mistake in the files; `device_unavailable` when a device of a connected
   *   computer does not start; then none is loaded
   */
  load(names: readonly string[]): Promise<LabChange[]> {
    return this.loading.alone(async () => {
      const fresh = names.filter((name) => !this.loading.current.labs.has(name));
      const catalog =
        fresh.length > 0 ? await this.loading.parts.index.refresh() : this.loading.parts.index.catalog;
      requireSound(catalog, 'lab', fresh, 'lab_types');
      const next = {
        ...this.loading.withLabs(catalog, fresh, 'lab_types'),
        draining: this.#drainingWithout(names),
      };
      const started = new Map(fresh.map((name) => [name, namesOf(next.labs.get(name))]));
      const devices = await this.starts.start(next, started);
      return names.map((name) => this.#change(name, { devices: devices.get(name) ?? [] }));
    });
  }

  /**
   * @param drain if there is unfinished work: accept no new work, and unload when it has ended
   * @throws ServiceError `wrong_state` that names the work; `invalid` for an unknown name
   */
  unload(names: readonly string[], drain: boolean): Promise<LabChange[]> {
    return this.loading.alone(async () => {
      this.#requireKnown(names);
      const loaded = names.filter((name) => this.loading.current.labs.has(name));
      const orphans = new Map(loaded.map((name) => [name, this.#protocolsOf(name)]));
      let waits = new Map<string, UnfinishedWork[]>();
      try {
        await this.loading.apply(this.#withoutLabs(loaded), (work) => refuseWork(loaded, work));
      } catch (error) {
        if (!drain || !isInUse(error)) throw error;
        waits = await this.#drain(loaded, 'unload');
      }
      await this.loading.remember();
      return names.map((name) =>
        this.#change(name, {
          unloaded_protocols: orphans.get(name) ?? [],
          waits_for: labelsOf(waits.get(name) ?? []),
        }),
      );
    });
  }

  /**
   * Reads laboratories from disk again and restarts the devices that changed.
   *
   * @param drain if a changed device is in use: accept no new work, and reload when the unfinished work has ended
   * @throws ServiceError as of {@link load}; `wrong_state` when a laboratory is not loaded, a changed device is in
   *   use, or unfinished work needs a device or resource that the files lack
   */
  reload(names: readonly string[], drain: boolean): Promise<LabChange[]> {
    return this.loading.alone(() => this.#reload(names, drain));
  }

  /** Continues the drains that were under way when the service stopped. */
  resume(): void {
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.starts.stopped = true;
    this.#cancelLook?.();
  }

  async #reload(names: readonly string[], drain: boolean): Promise<LabChange[]> {
    const { current } = this.loading;
    const absent = names.filter((name) => !current.labs.has(name));
    if (absent.length > 0) {
      this.#requireKnown(absent);
      throw new ServiceError('wrong_state', `not loaded: ${absent.join(', ')}; load it instead`);
    }
    const catalog = await this.loading.parts.index.refresh();
    requireSound(catalog, 'lab', names, 'lab_types');
    const next = {
      ...this.loading.withLabs(catalog, names, 'lab_types'),
      draining: this.#drainingWithout(names),
    };
    const differences = new Map(
      names.map((name) => [name, difference(current.labs.get(name), next.labs.get(name))]),
    );
    const started = new Map([...differences].map(([name, { restarted }]) => [name, restarted]));
    let waits = new Map<string, UnfinishedWork[]>();
    let devices = new Map<string, LoadedDevice[]>();
    try {
      const hint = 'wait for it, cancel it, or reload with "drain": true';
      devices = await this.starts.start(next, started, guardOf(differences, hint));
    } catch (error) {
      if (!drain || !isInUse(error)) throw error;
      waits = await this.#drain(names, 'reload');
      await this.loading.remember();
    }
    return names.map((name) =>
      this.#change(name, { devices: devices.get(name) ?? [], waits_for: labelsOf(waits.get(name) ?? []) }),
    );
  }

  /** @returns the unfinished work, by laboratory */
  async #drain(
    names: readonly string[],
    purpose: 'unload' | 'reload',
  ): Promise<Map<string, UnfinishedWork[]>> {
    const draining = new Map(this.loading.current.draining);
    for (const name of names) draining.set(name, purpose);
    let waits = new Map<string, UnfinishedWork[]>();
    await this.loading.apply({ ...this.loading.current, draining }, (work) => {
      waits = new Map(names.map((name) => [name, work.filter((each) => each.labs.has(name))]));
    });
    this.#look();
    return waits;
  }

  #look(): void {
    this.#cancelLook?.();
    if (this.#stopped || this.loading.current.draining.size === 0) return;
    this.#cancelLook = this.timers.after(drainLookMs, () => {
      this.loading
        .alone(() => this.#finishDrains())
        .catch((error: unknown) => this.loading.parts.log.error('a drain could not be finished', { error }))
        .finally(() => this.#look());
    });
  }

  async #finishDrains(): Promise<void> {
    const work = this.loading.parts.engine.views.unfinishedWork();
    for (const [name, purpose] of this.loading.current.draining) {
      if (work.some((each) => each.labs.has(name))) continue;
      if (purpose === 'unload') {
        await this.loading.apply(this.#withoutLabs([name]), (now) => refuseWork([name], now));
        await this.loading.remember();
      } else if (purpose === 'reload') {
        await this.#finishReload(name);
      }
    }
  }

  /** When the work has ended: reloads the laboratory, or keeps the present version. */
  async #finishReload(name: string): Promise<void> {
    const { log } = this.loading.parts;
    try {
      await this.#reload([name], false);
    } catch (error) {
      log.error('a drained laboratory could not be reloaded; it goes on as it was', { lab: name, error });
      await this.loading.apply({ ...this.loading.current, draining: this.#drainingWithout([name]) });
      await this.loading.remember();
    }
  }

  #requireKnown(names: readonly string[]): void {
    const absent = names.filter((name) => !this.loading.current.labs.has(name));
    requireKnown(this.loading.parts.index.catalog, 'lab', absent, 'lab_types');
  }

  #protocolsOf(lab: string): string[] {
    return [...this.loading.current.protocols.values()]
      .filter(({ protocol }) => protocol.labs.includes(lab))
      .map(({ protocol }) => protocol.type)
      .sort();
  }

  #withoutLabs(names: readonly string[]): LoadedSet {
    const { current } = this.loading;
    const labs = new Map(current.labs);
    const protocols = new Map(current.protocols);
    for (const name of names) {
      labs.delete(name);
      for (const type of this.#protocolsOf(name)) protocols.delete(type);
    }
    return { ...current, labs, protocols, draining: this.#drainingWithout(names) };
  }

  #drainingWithout(names: readonly string[]): LoadedSet['draining'] {
    return new Map([...this.loading.current.draining].filter(([name]) => !names.includes(name)));
  }

  #change(name: string, given: Partial<LabChange>): LabChange {
    const { labs, draining } = this.loading.current;
    return {
      name,
      state: draining.has(name) ? 'draining' : labs.has(name) ? 'loaded' : 'unloaded',
      hash: labs.get(name)?.hash ?? null,
      devices: [],
      unloaded_protocols: [],
      waits_for: [],
      ...given,
    };
  }
}

function refuseWork(labs: readonly string[], work: readonly UnfinishedWork[]): void {
  for (const lab of labs)
    refuseInUse(
      `the laboratory ${lab}`,
      work.filter((each) => each.labs.has(lab)),
      'wait for it, cancel it, or unload with "drain": true',
    );
}

/** Whether a change was refused because of unfinished work. */
export function isInUse(error: unknown): boolean {
  return (
    isServiceError(error) &&
    error.code === 'wrong_state' &&
    error.faults.some((fault) => fault.code === 'in_use')
  );
}
