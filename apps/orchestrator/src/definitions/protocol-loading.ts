import { ServiceError, type Fault, type ProtocolChange, type TaskTypeChange } from '@lab/contracts';
import type { Catalog } from '@lab/definitions';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import { withNewTasks } from './from-catalog.js';
import { labelsOf, refuseInUse, type Loading } from './loading.js';
import { requireKnown, requireSound } from './package-index.js';

/** Loads, unloads and reloads protocols and task types. Accepted work keeps its definitions. */
export class ProtocolLoading {
  constructor(private readonly loading: Loading) {}

  /**
   * Loads protocols and their task types. A loaded protocol stays as it is.
   *
   * @throws ServiceError `invalid` with every mistake in the files, and for every laboratory that is not loaded
   */
  load(types: readonly string[]): Promise<ProtocolChange[]> {
    return this.loading.alone(async () => {
      const fresh = types.filter((type) => !this.loading.current.protocols.has(type));
      if (fresh.length > 0) await this.#take(await this.loading.parts.index.refresh(), fresh);
      return types.map((type) => this.#change(type));
    });
  }

  /** As {@link load}, for loaded protocols. @throws ServiceError also `wrong_state` when one is not loaded */
  reload(types: readonly string[]): Promise<ProtocolChange[]> {
    return this.loading.alone(async () => {
      const catalog = await this.loading.parts.index.refresh();
      const absent = types.filter((type) => !this.loading.current.protocols.has(type));
      if (absent.length > 0) {
        requireKnown(catalog, 'protocol', absent, 'protocol_types');
        throw new ServiceError('wrong_state', `not loaded: ${absent.join(', ')}; load it instead`);
      }
      await this.#take(catalog, types);
      return types.map((type) => this.#change(type));
    });
  }

  /**
   * @param drain true: unload also while work of the protocol is unfinished; it ends with its definition
   * @throws ServiceError `wrong_state` that names the work; `invalid` for an unknown name
   */
  unload(types: readonly string[], drain: boolean): Promise<ProtocolChange[]> {
    return this.loading.alone(async () => {
      const absent = types.filter((type) => !this.loading.current.protocols.has(type));
      requireKnown(this.loading.parts.index.catalog, 'protocol', absent, 'protocol_types');
      const protocols = new Map(this.loading.current.protocols);
      for (const type of types) protocols.delete(type);
      await this.loading.apply({ ...this.loading.current, protocols }, (work) => {
        if (drain) return;
        for (const type of types)
          refuseInUse(
            `the protocol ${type}`,
            work.filter((each) => each.protocol === type),
            'wait for it, cancel it, or unload with "drain": true',
          );
      });
      await this.loading.remember();
      return types.map((type) => this.#change(type));
    });
  }

  /**
   * Reads task types from disk again, with the loaded protocols that use them.
   *
   * @throws ServiceError `invalid` with every mistake in their files or in a protocol that does not fit them; then all
   * stay as they are
   */
  reloadTasks(types: readonly string[]): Promise<TaskTypeChange[]> {
    return this.loading.alone(async () => {
      const catalog = await this.loading.parts.index.refresh();
      requireSound(catalog, 'task', types, 'task_types');
      const tasks = new Map(this.loading.current.tasks);
      for (const type of types) {
        const snapshot = catalog.task(type);
        if (snapshot !== undefined) tasks.set(type, snapshot);
      }
      const users = [...this.loading.current.protocols.values()]
        .filter((snapshot) => types.some((type) => Object.hasOwn(snapshot.tasks, type)))
        .map(({ protocol }) => protocol.type);
      const protocols = new Map(this.loading.current.protocols);
      for (const snapshot of this.#sound(catalog, users, 'task_types'))
        protocols.set(snapshot.protocol.type, snapshot);
      await this.loading.apply({ ...this.loading.current, tasks, protocols });
      return types.map((type) => ({
        type,
        hash: tasks.get(type)?.hash ?? '',
        protocols: users.filter((user) => Object.hasOwn(protocols.get(user)?.tasks ?? {}, type)).sort(),
      }));
    });
  }

  async #take(catalog: Catalog, types: readonly string[]): Promise<void> {
    const protocols = new Map(this.loading.current.protocols);
    for (const snapshot of this.#sound(catalog, types, 'protocol_types'))
      protocols.set(snapshot.protocol.type, snapshot);
    const tasks = withNewTasks(catalog, this.loading.current.tasks);
    await this.loading.apply({ ...this.loading.current, protocols, tasks });
    await this.loading.remember();
  }

  #sound(catalog: Catalog, types: readonly string[], field: string): ProtocolSnapshot[] {
    requireSound(catalog, 'protocol', types, field);
    const faults: Fault[] = [];
    const snapshots = types.flatMap((type, index) => {
      const snapshot = catalog.protocol(type);
      for (const lab of snapshot?.protocol.labs ?? []) {
        if (this.loading.current.labs.has(lab)) continue;
        const message = `the protocol ${type} needs the laboratory ${lab}, which is not loaded`;
        const hint = `load ${lab} first`;
        faults.push({ path: `${field}[${index}]`, code: 'lab_not_loaded', message, hint });
      }
      return snapshot ?? [];
    });
    if (faults.length === 0) return snapshots;
    throw new ServiceError('invalid', faults.map((fault) => fault.message).join('; '), { faults });
  }

  #change(type: string): ProtocolChange {
    const snapshot = this.loading.current.protocols.get(type);
    const work = this.loading.parts.engine.views.unfinishedWork().filter((each) => each.protocol === type);
    return {
      type,
      loaded: snapshot !== undefined,
      hash: snapshot?.hash ?? null,
      still_running: labelsOf(work),
    };
  }
}
