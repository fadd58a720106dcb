import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Catalog, DefinitionOrigin } from '@lab/definitions';
import { hintFor } from '@lab/definitions/model';
import { packageFolders, readCatalog } from './check.js';
import { linkProduct } from './editor-links.js';
import { chosenParameters, deviceKinds, type DeviceKind } from './kinds/index.js';
import { optimizerParts } from './optimizer-parts.js';
import { definitionFolders, relativeTo } from './place.js';
import {
  frameworkDeviceFiles,
  pythonDeviceFiles,
  pythonMarker,
  pythonOptimizerFiles,
  pythonPackageFiles,
  pythonTaskFiles,
  type Framework,
} from './python-templates.js';
import {
  deviceEntry,
  deviceFiles,
  labFiles,
  optimizerFiles,
  ownClass,
  packageFiles,
  protocolFiles,
  taskFiles,
  type Files,
  type ProtocolParts,
  type UsedDevice,
} from './templates.js';

export type PartKind = 'lab' | 'device' | 'task' | 'protocol' | 'optimizer';

export interface PartOptions {
  /** The device type that a new task uses; false: none; default: the first one of the package. */
  device?: string | false;
  /** Whether a device, a task or an optimizer is written in Python; default: if the package was created for Python. */
  python?: boolean;
  /** The framework whose drivers become devices of a new device type, which is in Python. */
  framework?: Framework;
  /** The kind of instrument that a new device is, of those in `kinds`; absent: the device is code of its own. */
  kind?: string;
  /** Values of `init_parameters` of the device in `lab.yml`, as a person types them, in place of those that its kind writes. */
  set?: Readonly<Record<string, string>>;
}

/** The changes of a command, in the order in which they were made. */
export interface Scaffolded {
  /** Absolute. */
  written: string[];
  /** Existing files that were changed, each with the added text. Absolute. */
  changed: { file: string; what: string }[];
  /** What the author can choose otherwise. */
  note?: string;
}

/**
 * Creates a package without definitions.
 *
 * @param userDir absolute; created if it does not exist
 * @param python whether its code will be in Python
 * @throws Error when the name is not allowed or already in use; nothing is written then
 */
export async function createPackage(userDir: string, name: string, python = false): Promise<Scaffolded> {
  checkName(name, 'package');
  const root = join(userDir, name);
  if (existsSync(root)) throw new Error(`${root} exists already: choose another name`);
  if (existsSync(userDir)) {
    const other = packageFolders(await readCatalog(userDir)).get(name);
    if (other !== undefined) throw new Error(`there is a package "${name}" already: ${join(userDir, other)}`);
  }
  const written = write(root, python ? pythonPackageFiles(name) : packageFiles(name));
  for (const folder of ['laboratories', 'devices', 'tasks', 'experiments']) mkdirSync(join(root, folder));
  if (!python) linkProduct(root);
  return { written, changed: [] };
}

/**
 * Adds a definition, with its code, to a package. The definition uses what the package has: a lab gets a device of each
 * type, a task uses the first device type, and a protocol uses the first lab with the first task that can run in it. The
 * first lab of the package gets a device of a new device type, if the lab has no error before and after. An optimizer has
 * the name of its protocol.
 *
 * @param userDir absolute
 * @throws Error when the name is not allowed or already in use, a file exists, a chosen device type is unknown, a protocol
 *   would have no task, or an optimizer nothing to choose or to minimize; nothing is written then
 */
export async function addPart(
  userDir: string,
  kind: PartKind,
  packageName: string,
  name: string,
  options: PartOptions = {},
): Promise<Scaffolded> {
  checkName(name, kind);
  if (!existsSync(userDir)) throw new Error(`there is no folder ${userDir}`);
  const catalog = await readCatalog(userDir);
  const root = rootOf(userDir, catalog, packageName);
  const taken = catalog.origins.find((origin) => origin.kind === kind && origin.name === name);
  if (taken) throw new Error(`there is a ${kind} "${name}" already: ${join(userDir, taken.file)}`);
  const own = ownNames(catalog, packageName);
  const deviceKind = kindOf(root, kind, options);
  const inLab =
    options.set === undefined ? (deviceKind?.inLab ?? []) : chosenParameters(deviceKind, options.set);
  if (options.set !== undefined && own('lab').length === 0)
    throw new Error('--set writes into lab.yml, and the package has no lab without errors: svc pkg add lab');
  const python =
    options.python ?? (existsSync(join(root, pythonMarker)) && !existsSync(join(root, 'package.json')));
  if (options.framework !== undefined && kind !== 'device')
    throw new Error(`--framework is for devices: a ${kind} has none`);
  switch (kind) {
    case 'lab':
      return { written: write(root, labFiles(name, own('device'))), changed: [] };
    case 'task': {
      const device = usedDevice(catalog, packageName, name, options);
      const note = `the task uses the device type ${device?.type}: --device TYPE chooses another one, --no-device none`;
      const written = write(root, python ? pythonTaskFiles(name, device) : taskFiles(name, device));
      return { written, changed: [], ...(device === null || options.device !== undefined ? {} : { note }) };
    }
    case 'optimizer': {
      const parts = optimizerParts(catalog, packageName, name);
      const files = python ? pythonOptimizerFiles(name, parts) : optimizerFiles(name, parts);
      refuseSecondOptimizer(root, parts.folder);
      return { written: write(root, files), changed: [] };
    }
    case 'protocol':
      return { written: write(root, protocolFiles(name, runnable(catalog, packageName))), changed: [] };
    case 'device': {
      const written = write(
        root,
        deviceKind?.files(name, ownClass(name, 'Device')) ?? newDevice(name, python, options),
      );
      const changed = deviceKind?.external === undefined ? [] : listExternal(root, deviceKind.external);
      if (deviceKind !== undefined) linkProduct(root);
      const lab = own('lab')[0];
      const origin = catalog.origins.find((each) => each.kind === 'lab' && each.name === lab);
      const file = origin && join(userDir, origin.file);
      const isInLab =
        file !== undefined && lab !== undefined && (await putIntoLab(userDir, file, lab, name, inLab));
      if (isInLab) changed.push({ file, what: `the device ${name}_1` });
      const note = `${file} stays as it is: put the device into it, with ${inLab.join(', ')}`;
      return { written, changed, ...(isInLab || options.set === undefined ? {} : { note }) };
    }
  }
}

function newDevice(type: string, python: boolean, { framework }: PartOptions): Files {
  if (framework !== undefined) return frameworkDeviceFiles(type, framework);
  return python ? pythonDeviceFiles(type) : deviceFiles(type);
}

/** @throws Error when there is no such kind, or the package cannot have it */
function kindOf(
  root: string,
  part: PartKind,
  { kind, python, framework }: PartOptions,
): DeviceKind | undefined {
  if (kind === undefined) return undefined;
  const found = deviceKinds.find(({ name }) => name === kind);
  const known = deviceKinds.map(({ name }) => name).join(', ');
  if (part !== 'device') throw new Error(`--kind is for devices: svc pkg add device`);
  if (found === undefined) throw new Error(`there is no kind "${kind}": there are ${known}`);
  if (framework !== undefined) throw new Error('--kind and --framework exclude each other: name one of them');
  if (python === true)
    throw new Error(`a device of the kind ${kind} is written in TypeScript: leave --python out`);
  if (!existsSync(join(root, 'package.json')))
    throw new Error(
      `a device of the kind ${kind} is written in TypeScript, and the package has no package.json: add it to a package of svc pkg create without --python`,
    );
  return found;
}

/** Names npm packages with native parts in `package.json`, so that the agent installs them. */
function listExternal(
  root: string,
  external: Readonly<Record<string, string>>,
): { file: string; what: string }[] {
  const file = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    dependencies?: Record<string, string>;
    svc?: { external?: string[] };
  };
  const { dependencies = {}, svc = {} } = manifest;
  const missing = Object.keys(external).filter((name) => svc.external?.includes(name) !== true);
  if (missing.length === 0) return [];
  const wanted = Object.fromEntries(missing.map((name) => [name, dependencies[name] ?? external[name]]));
  const changed = {
    ...manifest,
    dependencies: { ...dependencies, ...wanted },
    svc: { ...svc, external: [...(svc.external ?? []), ...missing] },
  };
  writeFileSync(file, `${JSON.stringify(changed, null, 2)}\n`);
  return [{ file, what: `${missing.join(', ')}, which the agent installs` }];
}

/** A protocol has one optimizer, in one of the languages. */
function refuseSecondOptimizer(root: string, folder: string): void {
  const other = ['optimizer.ts', 'optimizer.py'].find((name) => existsSync(join(root, folder, name)));
  if (other !== undefined)
    throw new Error(
      `${join(root, folder, other)} exists already: it is left as it is, and nothing is written`,
    );
}

export function checkName(name: string, what: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name) || name in Object.prototype) {
    throw new Error(
      `"${name}" cannot be the name of a ${what}: use letters, digits and underscores, a letter first, as in my_${what}`,
    );
  }
}

function rootOf(userDir: string, catalog: Catalog, name: string): string {
  const folder = packageFolders(catalog).get(name);
  const root = join(userDir, folder ?? name);
  const isPackage =
    existsSync(join(root, 'package.json')) ||
    existsSync(join(root, pythonMarker)) ||
    definitionFolders.some((each) => existsSync(join(root, each)));
  if (folder !== undefined || (!name.includes('/') && isPackage)) return root;
  const hint = hintFor(name, catalog.packages) ?? `svc pkg create ${name}`;
  throw new Error(`there is no package "${name}" in ${userDir}: ${hint}`);
}

/** Names of the sound definitions of a package, sorted. */
function ownNames(catalog: Catalog, packageName: string): (kind: DefinitionOrigin['kind']) => string[] {
  return (kind) =>
    catalog.origins
      .filter((origin) => origin.kind === kind && origin.package === packageName && origin.sound)
      .map((origin) => origin.name)
      .sort();
}

/** The device type that a new task uses: the chosen one, of any package, or the first one of its own package. */
function usedDevice(
  catalog: Catalog,
  packageName: string,
  task: string,
  { device: chosen }: PartOptions,
): UsedDevice | null {
  const type = chosen ?? ownNames(catalog, packageName)('device')[0];
  if (type === undefined || type === false) return null;
  const origin = catalog.origins.find(({ kind, name, sound }) => kind === 'device' && name === type && sound);
  if (origin === undefined) {
    const hint = hintFor(type, catalog.deviceTypes()) ?? `svc pkg add device ${packageName} ${type}`;
    throw new Error(`there is no device type "${type}" without errors: ${hint}`);
  }
  const folder = packageFolders(catalog).get(packageName) ?? packageName;
  const module = relativeTo(join('/', folder, 'tasks', task), join('/', dirname(origin.file), 'device.js'));
  return { type, module };
}

/** The first lab and the first task of a package that can run in it. */
function runnable(catalog: Catalog, packageName: string): ProtocolParts {
  const own = ownNames(catalog, packageName);
  const [labs, tasks] = [own('lab'), own('task')];
  for (const [names, kind] of [
    [labs, 'lab'],
    [tasks, 'task'],
  ] as const) {
    if (names.length > 0) continue;
    throw new Error(
      `a protocol needs a ${kind}, and the package has none without errors: svc pkg add ${kind} ${packageName} my_${kind}`,
    );
  }
  for (const name of labs) {
    const lab = catalog.lab(name);
    for (const type of tasks) {
      const task = catalog.task(type)?.task;
      if (lab === undefined || task === undefined) continue;
      const free = Object.values(lab.devices);
      const devices = Object.entries(task.devices).map(([handle, slot]) => {
        const index = free.findIndex((device) => device.type === slot.type);
        return [handle, index === -1 ? undefined : free.splice(index, 1)[0]?.name] as const;
      });
      const known = devices.filter((entry): entry is [string, string] => entry[1] !== undefined);
      const resources = Object.entries(task.input_resources).map(([key, slot]) => [key, slot.type] as const);
      const counted = resources.every(
        ([, of]) =>
          Object.values(lab.resources).filter((each) => each.type === of).length >=
          resources.filter(([, other]) => other === of).length,
      );
      // A file would have to come from an earlier task, and the new protocol has none.
      const wantsFile = Object.values(task.input_files ?? {}).some(({ required }) => required);
      if (known.length < devices.length || !counted || wantsFile) continue;
      const open = Object.entries(task.input_parameters).filter(([, spec]) => spec.value === undefined);
      return {
        lab: name,
        task: type,
        devices: Object.fromEntries(known),
        resources: Object.fromEntries(resources),
        parameters: open.map(([key]) => key),
      };
    }
  }
  throw new Error(
    `no task of the package can run in one of its labs (${labs.join(', ')}): put the devices and resources that ${tasks[0]} needs into a lab.yml`,
  );
}

/** Adds a device to the text of `lab.yml`. Returns false, and leaves the file unchanged, if that is not safe. */
async function putIntoLab(
  userDir: string,
  file: string,
  lab: string,
  type: string,
  initParameters: readonly string[] = [],
): Promise<boolean> {
  const text = readFileSync(file, 'utf8');
  const match = /^devices:[ \t]*(\{\})?[ \t]*\n(?:([ ]+)\S)?/m.exec(text);
  if (match === null || text.includes('{{')) return false;
  const indent = match[2] ?? '  ';
  const end = match.index + text.slice(match.index).indexOf('\n') + 1;
  const entry = deviceEntry(`${type}_1`, type, indent, initParameters);
  writeFileSync(file, `${text.slice(0, match.index)}devices:\n${entry}${text.slice(end)}`);
  const sound = (await readCatalog(userDir)).lab(lab)?.devices[`${type}_1`]?.type === type;
  if (!sound) writeFileSync(file, text);
  return sound;
}

/**
 * Writes new files below a folder.
 *
 * @returns their absolute paths
 * @throws Error when one of the files exists; no file is written then
 */
export function write(root: string, files: Readonly<Record<string, string | Uint8Array>>): string[] {
  const paths = Object.entries(files).map(([name, text]) => ({ path: join(root, name), text }));
  for (const { path } of paths) {
    if (existsSync(path))
      throw new Error(`${path} exists already: it is left as it is, and nothing is written`);
  }
  for (const { path, text } of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  }
  return paths.map(({ path }) => path);
}
