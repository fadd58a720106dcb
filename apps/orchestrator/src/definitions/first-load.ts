import { ServiceError } from '@lab/contracts';
import type { Catalog } from '@lab/definitions';
import { labVersion, withNewTasks } from './from-catalog.js';
import type { LoadedRecord, LoadedSet } from '../loaded/index.js';

/**
 * The definitions to load at start: those after the last change under the present configuration, else those that the
 * configuration names.
 *
 * @param report called with definitions that cannot be loaded any more
 * @throws Error in one sentence when the configuration names a laboratory or protocol that is unknown or has errors
 */
export function firstLoad(
  catalog: Catalog,
  configured: LoadedRecord['configured'],
  remembered: LoadedRecord | undefined,
  userDir: string,
  report: (message: string, fields: Record<string, unknown>) => void,
): LoadedSet {
  if (remembered !== undefined && same(remembered.configured, configured)) {
    const labs = remembered.labs.filter((name) => labVersion(catalog, name) !== undefined);
    const protocols = remembered.protocols.filter((type) =>
      catalog.protocol(type)?.protocol.labs.every((lab) => labs.includes(lab)),
    );
    const lost = {
      labs: remembered.labs.filter((name) => !labs.includes(name)),
      protocols: remembered.protocols.filter((type) => !protocols.includes(type)),
    };
    if (lost.labs.length + lost.protocols.length > 0)
      report('not everything that was loaded can be loaded again; see the mistakes in the packages', lost);
    const draining = Object.entries(remembered.draining).filter(([name]) => labs.includes(name));
    return { ...loadedSet(catalog, labs, protocols), draining: new Map(draining) };
  }
  try {
    const chosen = catalog.select({
      ...(configured.labs === null ? {} : { labs: configured.labs }),
      ...(configured.protocols === null ? {} : { protocols: configured.protocols }),
    });
    return loadedSet(catalog, chosen.labNames(), chosen.protocolTypes());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const faults = error.faults.map(
      (fault) => `${fault.path}: ${fault.message}${fault.hint ? ` (${fault.hint})` : ''}`,
    );
    throw new Error(`the packages in ${userDir} cannot be loaded as configured: ${faults.join('; ')}`, {
      cause: error,
    });
  }
}

function loadedSet(catalog: Catalog, labs: readonly string[], protocols: readonly string[]): LoadedSet {
  const known = <Value>(names: readonly string[], find: (name: string) => Value | undefined) => {
    const found = new Map<string, Value>();
    for (const name of names) {
      const value = find(name);
      if (value !== undefined) found.set(name, value);
    }
    return found;
  };
  return {
    labs: known(labs, (name) => labVersion(catalog, name)),
    protocols: known(protocols, (type) => catalog.protocol(type)),
    tasks: withNewTasks(catalog, new Map()),
    draining: new Map(),
  };
}

function same(a: LoadedRecord['configured'], b: LoadedRecord['configured']): boolean {
  return JSON.stringify([a.labs, a.protocols]) === JSON.stringify([b.labs, b.protocols]);
}
