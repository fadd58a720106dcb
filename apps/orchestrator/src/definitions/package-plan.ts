import {
  ServiceError,
  type DefinitionChange,
  type DefinitionType,
  type DeviceChange,
  type LabRights,
} from '@lab/contracts';
import { serviceComputer, type Catalog } from '@lab/definitions';
import type { UnfinishedWork } from '@lab/engine';
import type { LoadedRecord, LoadedSet } from '../loaded/index.js';
import { hashInFiles } from './definition-records.js';
import { labVersion, withNewTasks } from './from-catalog.js';
import { difference, type Difference } from './lab-difference.js';
import { faultOf } from './package-index.js';

/** What another version of a package changes. Functions without side effects. */

/** The packages before and after the change. */
export interface Exchange {
  name: string;
  before: Catalog;
  after: Catalog;
}

function namesIn(catalog: Catalog, owner: string, type: DefinitionType): string[] {
  return catalog.origins.flatMap((each) => (each.kind === type && each.package === owner ? [each.name] : []));
}

/** Names of both versions, each once. */
function namesOfBoth({ name, before, after }: Exchange, type: DefinitionType): Set<string> {
  return new Set([...namesIn(before, name, type), ...namesIn(after, name, type)]);
}

/**
 * Refuses a version that has errors, or with which definitions of other packages have new ones.
 *
 * @throws ServiceError `invalid` with every error
 */
export function requireNoNewFaults({ name, before, after }: Exchange): void {
  const known = new Set(before.diagnostics.map((each) => JSON.stringify(each)));
  const faults = after.diagnostics.filter(
    (each) => each.file.split('/')[0] === name || !known.has(JSON.stringify(each)),
  );
  const isEmpty = !after.origins.some((origin) => origin.package === name);
  if (faults.length === 0 && !isEmpty) return;
  const empty = { path: '', code: 'no_definitions', message: `the package ${name} has no definitions` };
  throw new ServiceError('invalid', `the package ${name} has errors; what is active stays as it is`, {
    faults: faults.length === 0 ? [empty] : faults.map(faultOf),
  });
}

/**
 * The laboratories that a change of a package concerns: its own, those that use its types, those of its protocols, and those
 * whose computers its laboratories name.
 */
export function concernedLabs(exchange: Exchange, loaded: LoadedSet): string[] {
  const { before, after } = exchange;
  const own = namesOfBoth(exchange, 'lab');
  const devices = namesOfBoth(exchange, 'device');
  const tasks = namesOfBoth(exchange, 'task');
  const protocols = namesOfBoth(exchange, 'protocol');
  const found = new Set(own);
  const all = [...before.labs(), ...after.labs(), ...[...loaded.labs.values()].map(({ lab }) => lab)];
  for (const lab of all)
    if (Object.values(lab.devices).some(({ type }) => devices.has(type))) found.add(lab.name);
  const snapshots = [
    ...[before, after].flatMap((catalog) =>
      catalog.protocolTypes().flatMap((type) => catalog.protocol(type) ?? []),
    ),
    ...loaded.protocols.values(),
  ];
  for (const { protocol, tasks: used } of snapshots)
    if (protocols.has(protocol.type) || Object.keys(used).some((type) => tasks.has(type)))
      for (const lab of protocol.labs) found.add(lab);
  // Whoever names a computer runs code on it.
  const computers = new Set([...own].flatMap((name) => Object.keys(after.lab(name)?.computers ?? {})));
  computers.delete(serviceComputer.name);
  for (const lab of all)
    if (Object.keys(lab.computers).some((each) => computers.has(each))) found.add(lab.name);
  return [...found].sort();
}

/**
 * Refuses a caller without the role for each of the laboratories.
 *
 * @param held laboratories for which the caller has it
 * @throws ServiceError `forbidden`
 */
export function requireRoleFor(
  name: string,
  labs: readonly string[],
  held: LabRights['see'],
  role: 'dry_runner' | 'deployer' = 'deployer',
): void {
  if (held === 'all') return;
  const missing = labs.filter((lab) => !held.includes(lab));
  if (labs.length > 0 && missing.length === 0) return;
  throw new ServiceError(
    'forbidden',
    labs.length === 0
      ? `The package ${name} belongs to no laboratory: this needs the role ${role} for all laboratories.`
      : `The package ${name} concerns ${missing.join(', ')}: this needs the role ${role} for ${missing.length === 1 ? 'it' : 'each'}.`,
  );
}

/**
 * What is loaded after the change. What was loaded of the package, or uses it, gets the new definitions. What is new in the
 * package is loaded, too, unless the configuration leaves it out. What a person has unloaded stays unloaded.
 */
export function setAfter(
  exchange: Exchange,
  current: LoadedSet,
  configured: LoadedRecord['configured'],
): LoadedSet {
  const { name, before, after } = exchange;
  const is = (type: DefinitionType): Set<string> => new Set(namesIn(after, name, type));
  const was = (type: DefinitionType): Set<string> => new Set(namesIn(before, name, type));
  const isConfigured = (names: readonly string[] | null, each: string): boolean =>
    names === null || names.includes(each);

  const labs = new Map(current.labs);
  const devices = namesOfBoth(exchange, 'device');
  for (const [lab, version] of current.labs) {
    const isOwn = was('lab').has(lab) || is('lab').has(lab);
    if (was('lab').has(lab) && !is('lab').has(lab)) labs.delete(lab);
    else if (isOwn || [...version.devices.keys()].some((type) => devices.has(type))) {
      const next = labVersion(after, lab);
      if (next !== undefined) labs.set(lab, next);
    }
  }
  for (const lab of is('lab')) {
    const next = labVersion(after, lab);
    if (!labs.has(lab) && !was('lab').has(lab) && isConfigured(configured.labs, lab) && next !== undefined)
      labs.set(lab, next);
  }

  const tasks = new Map(current.tasks);
  const types = namesOfBoth(exchange, 'task');
  for (const type of types) {
    const next = is('task').has(type) ? after.task(type) : undefined;
    if (next === undefined) tasks.delete(type);
    else tasks.set(type, next);
  }

  const protocols = new Map(current.protocols);
  for (const [type, snapshot] of current.protocols) {
    const isOwn = was('protocol').has(type) || is('protocol').has(type);
    const isGone =
      (was('protocol').has(type) && !is('protocol').has(type)) ||
      snapshot.protocol.labs.some((lab) => !labs.has(lab));
    const next = after.protocol(type);
    if (isGone) protocols.delete(type);
    else if (next !== undefined && (isOwn || Object.keys(snapshot.tasks).some((task) => types.has(task))))
      protocols.set(type, next);
  }
  for (const type of is('protocol')) {
    const next = after.protocol(type);
    const isNew = !protocols.has(type) && !was('protocol').has(type);
    if (
      isNew &&
      isConfigured(configured.protocols, type) &&
      next?.protocol.labs.every((lab) => labs.has(lab))
    )
      protocols.set(type, next);
  }
  // A person who unloads a laboratory still wants that; a reload has become needless.
  const draining = new Map(
    [...current.draining].filter(
      ([lab, purpose]) => labs.has(lab) && (purpose === 'unload' || labs.get(lab) === current.labs.get(lab)),
    ),
  );
  return { labs, protocols, tasks: withNewTasks(after, tasks), draining };
}

/** What changes in each laboratory. A laboratory whose devices and resources stay is not among them. */
export function differencesOf(current: LoadedSet, next: LoadedSet): Map<string, Difference> {
  const found = new Map<string, Difference>();
  for (const lab of new Set([...current.labs.keys(), ...next.labs.keys()])) {
    const [old, fresh] = [current.labs.get(lab), next.labs.get(lab)];
    if (old === fresh) continue;
    const each = difference(old, fresh);
    if (fresh === undefined) each.gone.push('everything');
    if (each.restarted.size + each.gone.length > 0 || old === undefined) found.set(lab, each);
  }
  return found;
}

export function definitionChanges(exchange: Exchange): DefinitionChange[] {
  const { before, after } = exchange;
  return (['lab', 'device', 'task', 'protocol'] as const).flatMap((type) =>
    [...namesOfBoth(exchange, type)].sort().flatMap((name): DefinitionChange[] => {
      const old = hashInFiles(before, type, name);
      const fresh = hashInFiles(after, type, name);
      if (old === fresh) return [];
      const change = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed';
      return [{ type, name, change }];
    }),
  );
}

export function deviceChanges(differences: ReadonlyMap<string, Difference>): DeviceChange[] {
  return [...differences].flatMap(([lab, { restarted, replaced, goneDevices }]) => [
    ...[...restarted].map((name): DeviceChange => ({
      lab,
      name,
      change: replaced.has(name) ? 'changed' : 'added',
    })),
    ...goneDevices.map((name): DeviceChange => ({ lab, name, change: 'removed' })),
  ]);
}

/** The unfinished work whose protocol or task types change. It keeps what it was accepted with. */
export function keepsOld(
  work: readonly UnfinishedWork[],
  current: LoadedSet,
  next: LoadedSet,
  labs: readonly string[],
): UnfinishedWork[] {
  return work.filter(({ protocol, labs: used }) =>
    protocol === null
      ? labs.some((lab) => used.has(lab))
      : current.protocols.get(protocol)?.hash !== next.protocols.get(protocol)?.hash,
  );
}
