import {
  ServiceError,
  type DefinitionRecord,
  type DefinitionSummary,
  type DefinitionType,
  type JsonObject,
  type LabRecord,
  type PackageRecord,
} from '@lab/contracts';
import { contentHash, type Catalog, type DefinitionOrigin } from '@lab/definitions';
import type { ProtocolDefinition, TaskDefinition } from '@lab/definitions/model';
import { labVersion } from './from-catalog.js';
import type { LoadedSet } from '../loaded/index.js';
import { diagnosticsOf, faultOf } from './package-index.js';

/** Records of definitions: the packages as they were last read, and what is loaded. */

export function labRecords(catalog: Catalog, loaded: LoadedSet): LabRecord[] {
  return definitionSummaries(catalog, loaded, 'lab').map((summary) => {
    const { name, package: packageName, file, hash, sound } = summary;
    const lab = (loaded.labs.get(name) ?? labVersion(catalog, name))?.lab;
    const draining = loaded.draining.get(name);
    return {
      name,
      desc: lab?.desc ?? '',
      state: draining !== undefined ? 'draining' : summary.loaded ? 'loaded' : 'unloaded',
      draining_for: draining ?? null,
      package: packageName,
      file,
      hash,
      sound,
      devices: Object.keys(lab?.devices ?? {}).sort(),
      resources: Object.keys(lab?.resources ?? {}).sort(),
    };
  });
}

/** Every definition by type and name, also those that are loaded and no longer on disk. */
export function definitionSummaries(
  catalog: Catalog,
  loaded: LoadedSet,
  type?: DefinitionType,
): DefinitionSummary[] {
  const origins = new Map<string, DefinitionOrigin>();
  for (const origin of [...catalog.origins, ...loadedOrigins(loaded)]) {
    const key = `${origin.kind}/${origin.name}`;
    if ((type === undefined || origin.kind === type) && !origins.has(key)) origins.set(key, origin);
  }
  return [...origins.values()]
    .map((origin) => summary(catalog, loaded, origin))
    .sort((a, b) => compare(a.type, b.type) || compare(a.name, b.name));
}

/** @throws ServiceError `not_found` */
export function definitionRecord(
  catalog: Catalog,
  loaded: LoadedSet,
  type: DefinitionType,
  name: string,
): DefinitionRecord {
  const found = definitionSummaries(catalog, loaded, type).find((each) => each.name === name);
  if (found === undefined) throw new ServiceError('not_found', `the packages define no ${type} "${name}"`);
  const origins = catalog.origins.filter(
    (origin) => origin.kind === type && origin.name === name && !origin.sound,
  );
  const { definition } = inForce(loaded, type, name) ?? onDisk(catalog, type, name) ?? { definition: null };
  return {
    ...found,
    definition: definition === null ? null : (JSON.parse(JSON.stringify(definition)) as JsonObject),
    errors: origins.length === 0 ? [] : diagnosticsOf(catalog, origins).map(faultOf),
  };
}

export function packageRecords(catalog: Catalog): PackageRecord[] {
  return [...catalog.packages].sort().map((name) => {
    const origins = catalog.origins.filter((origin) => origin.package === name);
    const isOwn = ({ file }: { file: string }): boolean => file.split('/').includes(name);
    const named = (kind: DefinitionType): string[] =>
      origins
        .filter((origin) => origin.kind === kind)
        .map((origin) => origin.name)
        .sort();
    return {
      name,
      labs: named('lab'),
      devices: named('device'),
      tasks: named('task'),
      protocols: named('protocol'),
      errors: catalog.diagnostics.filter(isOwn).map(faultOf),
      warnings: catalog.warnings.filter(isOwn).map(faultOf),
    };
  });
}

function summary(catalog: Catalog, loaded: LoadedSet, origin: DefinitionOrigin): DefinitionSummary {
  const { kind, name } = origin;
  const used = inForce(loaded, kind, name);
  const version = used ?? onDisk(catalog, kind, name);
  return {
    type: kind,
    name,
    package: origin.package,
    file: origin.file,
    loaded: used !== undefined,
    hash: version?.hash ?? null,
    sound: origin.sound,
    labs: labsOf(loaded, kind, name, version?.definition),
  };
}

function labsOf(loaded: LoadedSet, kind: DefinitionType, name: string, definition?: object): string[] {
  if (kind === 'lab') return [name];
  if (kind === 'protocol') return [...((definition as ProtocolDefinition | undefined)?.labs ?? [])];
  if (kind === 'task') return labsOfTask(loaded, name, definition as TaskDefinition | undefined);
  return [...loaded.labs].flatMap(([lab, { devices }]) => (devices.has(name) ? [lab] : [])).sort();
}

/** The loaded laboratories that have what a task type needs, and those of the loaded protocols with such a task. */
function labsOfTask(
  { labs, protocols }: LoadedSet,
  type: string,
  task: TaskDefinition | undefined,
): string[] {
  const typesIn = (of: Readonly<Record<string, { type: string }>>): string[] =>
    Object.values(of).map((each) => each.type);
  const needed = task === undefined ? [] : [...typesIn(task.devices), ...typesIn(task.input_resources)];
  const fitting = [...labs].flatMap(([name, { lab }]) => {
    const had = new Set([...typesIn(lab.devices), ...typesIn(lab.resources)]);
    return needed.length > 0 && needed.every((each) => had.has(each)) ? [name] : [];
  });
  const using = [...protocols.values()].flatMap(({ protocol, tasks }) =>
    Object.hasOwn(tasks, type) ? protocol.labs : [],
  );
  return [...new Set([...fitting, ...using])].sort();
}

interface Version {
  hash: string;
  definition: object;
}

function inForce(loaded: LoadedSet, type: DefinitionType, name: string): Version | undefined {
  if (type === 'protocol') return version(loaded.protocols.get(name), 'protocol');
  if (type === 'task') return version(loaded.tasks.get(name), 'task');
  if (type === 'lab') return version(loaded.labs.get(name), 'lab');
  for (const lab of loaded.labs.values()) {
    const device = lab.devices.get(name);
    if (device !== undefined) return { hash: contentHash(device), definition: device };
  }
  return undefined;
}

/** Content hash of a definition in the packages; undefined: there is none without errors. */
export function hashInFiles(catalog: Catalog, type: DefinitionType, name: string): string | undefined {
  return onDisk(catalog, type, name)?.hash;
}

function onDisk(catalog: Catalog, type: DefinitionType, name: string): Version | undefined {
  if (type === 'protocol') return version(catalog.protocol(name), 'protocol');
  if (type === 'task') return version(catalog.task(name), 'task');
  if (type === 'lab') return version(labVersion(catalog, name), 'lab');
  const device = catalog.deviceType(name);
  return device === undefined ? undefined : { hash: contentHash(device), definition: device };
}

function version<Key extends string>(
  snapshot: (Record<Key, object> & { hash: string }) | undefined,
  key: Key,
): Version | undefined {
  return snapshot === undefined ? undefined : { hash: snapshot.hash, definition: snapshot[key] };
}

/** Definitions that are loaded and no longer on disk. */
function loadedOrigins(loaded: LoadedSet): DefinitionOrigin[] {
  const nowhere = { package: '', file: '', sound: false };
  const gone = (kind: DefinitionType) => (name: string) => ({ kind, name, ...nowhere });
  return [
    ...[...loaded.labs.keys()].map(gone('lab')),
    ...[...loaded.protocols.keys()].map(gone('protocol')),
    ...[...loaded.tasks.keys()].map(gone('task')),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
