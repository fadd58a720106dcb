import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ModuleReference } from '@lab/contracts';
import { loadPackages, pythonImports, type Catalog, type Diagnostic } from '@lab/definitions';
import { libraryOf } from './python-libraries.js';

/** What of a folder of packages of EOS runs here. */
export interface EosReport {
  /** Absolute. */
  folder: string;
  packages: EosPackage[];
}

export interface EosPackage {
  package: string;
  /** Absolute folder. */
  root: string;
  items: EosItem[];
}

export interface EosItem {
  kind: 'lab' | 'device' | 'task' | 'protocol' | 'optimizer' | 'file';
  name: string;
  /** Relative to the folder. */
  file: string;
  /** `needs_libraries`: runs where the Python of its computer has the libraries. */
  result: 'runs' | 'needs_libraries' | 'cannot_run';
  /** Packages of PyPI, sorted. */
  libraries: string[];
  /** True: a declaration in Python without a definition file; absent: it has one. */
  isDeclared?: true;
  /** Why it cannot run, and what to do. */
  reasons: { file: string; line: number | null; message: string; hint: string | null }[];
}

type Reason = EosItem['reasons'][number];

/** A task type of which nothing can run, because no package of the folder has its device. */
const withoutDevice = 'unknown_device_type';

/** The modules of EOS that `svc_lab.eos` has. */
export const eosModules = [
  'eos',
  'eos.devices.base_device',
  'eos.devices.exceptions',
  'eos.integrations.sila',
  'eos.integrations.sila.sila_client_context',
  'eos.integrations.sila.sila_device_mixin',
  'eos.logging.logger',
  'eos.optimization.abstract_sequential_optimizer',
  'eos.optimization.beacon_optimizer',
  'eos.optimization.exceptions',
  'eos.optimization.sequential_bayesian_optimizer',
  'eos.resources.entities.resource',
  'eos.resources.exceptions',
  'eos.tasks.base_task',
  'eos.tasks.exceptions',
  'eos.tasks.file',
  'eos.tasks.task_definition',
  'eos.utils.ray_utils',
];

/** Modules of EOS that need a library here, and the module of it. */
const needed: Readonly<Record<string, string>> = {
  'eos.optimization.abstract_sequential_optimizer': 'pandas',
  'eos.optimization.beacon_optimizer': 'bofire',
  'eos.optimization.sequential_bayesian_optimizer': 'bofire',
};

/**
 * Reads the packages of a folder of EOS. No code is executed, and nothing is written.
 *
 * @param folder absolute
 * @throws Error when the folder cannot be read
 */
export async function eosReport(folder: string): Promise<EosReport> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'svc-migrate-'));
  try {
    const catalog = await loadPackages({ userDir: folder, cacheDir });
    const items = new Map<string, EosItem[]>(catalog.packages.map((name) => [name, []]));
    const left = new Set(catalog.diagnostics);
    for (const origin of catalog.origins) {
      const found = [
        ...catalog.diagnostics,
        ...catalog.warnings.filter(({ code }) => code === withoutDevice),
      ].filter(({ file }) => belongsTo(file, origin));
      for (const each of found) left.delete(each);
      items.get(origin.package)?.push(await itemOf(catalog, origin, found.map(reasonOf)));
      if (origin.kind !== 'protocol') continue;
      const code = join(dirname(origin.file), 'optimizer.py');
      if (!existsSync(join(folder, code))) continue;
      const ofCode = catalog.diagnostics.filter(({ file }) => file === code);
      for (const each of ofCode) left.delete(each);
      items.get(origin.package)?.push(await optimizerOf(catalog, origin, code, ofCode.map(reasonOf)));
    }
    for (const each of left) {
      const owner = catalog.origins.find(({ file }) => each.file.startsWith(packageFolder(file)))?.package;
      const name = owner ?? catalog.packages.find((known) => each.file.split('/').includes(known)) ?? '';
      items.set(name, [...(items.get(name) ?? []), fileItem(folder, each)]);
    }
    return {
      folder,
      packages: [...items].map(([name, list]) => ({
        package: name,
        root: join(folder, packageFolder(list[0]?.file ?? '')),
        items: list,
      })),
    };
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

type Origin = Catalog['origins'][number];

/** Whether a file is a definition or the code beside it. */
function belongsTo(file: string, { kind, file: own }: Origin): boolean {
  return file === own || (dirname(file) === dirname(own) && basename(file) === `${kind}.py`);
}

/** The folder of a package, with a slash at its end, by one of its definition files. */
function packageFolder(file: string): string {
  return file.replace(/(^|\/)(laboratories|labs|devices|tasks|experiments|protocols)\/.*$/, '$1');
}

async function itemOf(
  catalog: Catalog,
  { kind, name, file, package: owner }: Origin,
  faults: Reason[],
): Promise<EosItem> {
  const module =
    kind === 'device'
      ? catalog.deviceType(name)?.module
      : kind === 'task'
        ? catalog.task(name)?.task.module
        : undefined;
  const code = join(dirname(file), `${kind}.py`);
  return withCode(catalog, { kind, name, file }, { module, code, owner }, faults);
}

/** @param code of the optimizer, relative to the folder */
function optimizerOf(
  catalog: Catalog,
  { name, package: owner }: Origin,
  code: string,
  faults: Reason[],
): Promise<EosItem> {
  const module = catalog.protocol(name)?.protocol.optimizer;
  return withCode(catalog, { kind: 'optimizer', name, file: code }, { module, code, owner }, faults);
}

/** An item with what its code imports. */
async function withCode(
  catalog: Catalog,
  about: Pick<EosItem, 'kind' | 'name' | 'file'>,
  { module, code, owner }: { module: ModuleReference | null | undefined; code: string; owner: string },
  faults: Reason[],
): Promise<EosItem> {
  const used = module?.runtime === 'python' ? await importsOf(catalog, module.hash, owner) : [];
  const reasons = [...faults, ...used.flatMap((each) => ofEos(each, code))];
  const libraries = used.flatMap(({ name }) => {
    if (name !== 'eos' && !name.startsWith('eos.')) return libraryOf(name) ?? [];
    return Object.hasOwn(needed, name) ? (libraryOf(needed[name]!) ?? []) : [];
  });
  return itemWith(about, reasons, [...new Set(libraries)].sort());
}

function itemWith(
  about: Pick<EosItem, 'kind' | 'name' | 'file'>,
  reasons: Reason[],
  libraries: string[],
): EosItem {
  const result =
    reasons.length > 0 ? 'cannot_run' : libraries.length > 0 ? ('needs_libraries' as const) : 'runs';
  return { ...about, result, libraries, reasons };
}

interface Used {
  /** The first part of a module; of one of EOS the whole module. */
  name: string;
  /** In the code of the definition itself; null: in a file that it imports. */
  line: number | null;
}

/** What the files of a module import from outside of its package. */
async function importsOf(catalog: Catalog, hash: string, owner: string): Promise<Used[]> {
  const { files } = JSON.parse(await catalog.module(hash)) as { files: Record<string, string> };
  return Object.entries(files).flatMap(([file, text]) => {
    // The class that init parameters of EOS 0.31 extend is one of pydantic.
    const model: Used[] = /\bDevice\.Config\b/.test(text) ? [{ name: 'pydantic', line: null }] : [];
    const imported = pythonImports(text).flatMap(({ dots, module, line }): Used[] => {
      const [first = ''] = module;
      if (dots > 0 || first === owner || first === 'user' || first === '') return [];
      const isEntry = /\/(device|task|optimizer)\.py$/.test(file);
      return [{ name: first === 'eos' ? module.join('.') : first, line: isEntry ? line : null }];
    });
    return [...model, ...imported];
  });
}

function ofEos({ name, line }: Used, file: string): Reason[] {
  if (name !== 'eos' && !name.startsWith('eos.')) return [];
  const at = { file, line };
  if (name.startsWith('eos.integrations.sila'))
    return [
      {
        ...at,
        message: 'the SiLA 2 classes of EOS do not run here',
        hint: 'connect with the library sila2 in _initialize of the device, and let tasks call functions of the device',
      },
    ];
  if (name === 'eos' || eosModules.includes(name) || eosModules.some((each) => each.startsWith(`${name}.`)))
    return [];
  const hint = `packages can import ${eosModules.join(', ')}`;
  return [{ ...at, message: `${name} is a part of EOS that does not exist here`, hint }];
}

/** A finding in a file that is no definition and no code beside one. */
function fileItem(folder: string, found: Diagnostic): EosItem {
  const declared = found.code === 'missing_definition' ? declaredInPython(folder, found.file) : undefined;
  if (declared === undefined)
    return itemWith({ kind: 'file', name: basename(found.file), file: found.file }, [reasonOf(found)], []);
  const { kind, name } = declared;
  const reason = {
    ...{ file: found.file, line: null },
    message: `the ${kind} is declared in Python, as in EOS 0.31, and this service reads declarations from ${kind}.yml`,
    hint: `let "svc migrate eos --write" write it beside the code`,
  };
  return { ...itemWith({ kind, name, file: found.file }, [reason], []), isDeclared: true };
}

function declaredInPython(
  folder: string,
  file: string,
): { kind: 'device' | 'task'; name: string } | undefined {
  const kind = /(?:^|\/)(device|task)\.py$/.exec(file)?.[1] as 'device' | 'task' | undefined;
  if (kind === undefined) return undefined;
  const text = readFileSync(join(folder, file), 'utf8');
  const pattern = kind === 'device' ? /\btype\s*=\s*(["'])(.*?)\1/ : /@task\(\s*(["'])(.*?)\1/;
  const imports = pythonImports(text).some(({ module }) => module.length === 1 && module[0] === 'eos');
  return imports ? { kind, name: pattern.exec(text)?.[2] ?? basename(dirname(file)) } : undefined;
}

function reasonOf({ file, line, code, message, hint }: Diagnostic): Reason {
  const addPackage = 'add the package that defines it to the folder';
  return { file, line, message, hint: code === withoutDevice ? addPackage : hint };
}
