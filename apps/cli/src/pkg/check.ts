import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareCauses, loadPackages, type Catalog, type Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import { exportedClass } from './author-class.js';
import { unawaitedCalls, undeclaredCalls } from './device-calls.js';
import { importCycles } from './import-cycles.js';
import { checkOptimizer, optimizerExpectation } from './optimizer-contract.js';
import { checkOptimizerNames } from './optimizer-names.js';
import { PackageChecker } from './package-code.js';
import { packageTypes, typesFile } from './package-types.js';
import { relativeTo, type Place } from './place.js';
import { checkPython } from './python-check.js';
import type { At } from './author-class.js';
import { expectations, TaskContract } from './task-contract.js';

export interface CheckReport {
  /** Folder to which the files of the diagnostics are relative. Absolute. */
  userDir: string;
  /** In the order of `compareCauses`. */
  errors: Diagnostic[];
  /** Findings with which a package can still run. In the order of `compareCauses`. */
  warnings: Diagnostic[];
  packages: number;
  definitions: number;
  sources: number;
}

/** Codes of findings in code with which a package can still run. */
const harmless: ReadonlySet<string> = new Set([
  'stale_types',
  'unused_handle',
  'import_cycle',
  'doubtful_name',
  'unchecked_python',
]);

/**
 * Finds every fault of packages: in their definitions and references, in the types and imports of their code, between the
 * code of each task and its `task.yml`, in the calls of devices, and in the code of optimizers. Writes nothing.
 *
 * A package is checked together with its siblings, but their faults are not reported. The code of a task is compared with
 * its `task.yml` only if that file has no error.
 *
 * @param codeKey public code key that must have signed the code; undefined: it need not be signed
 */
export async function checkPackages({ userDir, packageDir }: Place, codeKey?: string): Promise<CheckReport> {
  const catalog = await readCatalog(userDir, codeKey);
  const all = packageFolders(catalog);
  const wanted = packageDir === null ? undefined : relativeTo(userDir, packageDir);
  const isWanted = (file: string): boolean =>
    wanted === undefined || file === '' || file === wanted || file.startsWith(`${wanted}/`);
  const chosen = [...all].filter(([, folder]) => isWanted(folder));
  const checker = new PackageChecker(userDir);
  const definitions = catalog.diagnostics.filter(({ file }) => isWanted(file));
  const codes = chosen.map(([name, folder]) => checkCode(catalog, checker, userDir, { name, folder }));
  const python = await checkPython(catalog, userDir, new Set(chosen.map(([name]) => name)));
  const ofCode = [...codes.flatMap(({ found }) => found), ...python.found];
  const places = new Set(ofCode.map(({ file, line }) => `${file}:${line}`));
  const found = [
    // The compiler has already reported code that the bundler cannot read, with a better message.
    ...definitions.filter(({ code, file, line }) => code !== 'code' || !places.has(`${file}:${line}`)),
    ...ofCode,
  ].sort(compareCauses);
  return {
    userDir,
    errors: found.filter(({ code }) => !harmless.has(code)),
    warnings: [
      ...catalog.warnings.filter(({ file }) => isWanted(file)),
      ...found.filter(({ code }) => harmless.has(code)),
    ].sort(compareCauses),
    packages: chosen.length,
    definitions: catalog.origins.filter(({ file }) => isWanted(file)).length,
    sources: codes.reduce((sum, { sources }) => sum + sources, python.sources),
  };
}

/** The findings in the code of one package. */
function checkCode(
  catalog: Catalog,
  checker: PackageChecker,
  userDir: string,
  { name, folder }: { name: string; folder: string },
): { found: Diagnostic[]; sources: number } {
  const root = join(userDir, folder);
  const text = packageTypes(catalog, name, folder);
  const generated = join(root, typesFile);
  const texts = new Map([[generated, `${text}${expectations}${optimizerExpectation}`]]);
  const { program, diagnostics, sources } = checker.check({ folder: root, texts });
  const at = place(userDir);
  const own = sources.filter(({ fileName }) => fileName !== generated);
  const found = [
    ...diagnostics.filter((each) => !isVictim(each, catalog)),
    ...own.flatMap((source) => [
      ...unawaitedCalls(program, source, at),
      ...undeclaredCalls(program, source, at),
    ]),
    ...importCycles(program, own, at, ({ fileName }) => relativeTo(root, fileName)),
  ];
  // The types of broken definitions are not generated, so the file would seem stale until they are repaired.
  const isStale = existsSync(generated) && readFileSync(generated, 'utf8') !== text;
  if (isStale && catalog.diagnostics.length === 0) {
    found.push(staleTypes(`${folder}/${typesFile}`, relativeTo(process.cwd(), root)));
  }
  const expected = (type: string) => declaredType(program, generated, type);
  const contract = new TaskContract(program, expected('Expected'), at);
  const optimizer = expected('ExpectedOptimizer');
  for (const origin of catalog.origins.filter((each) => each.package === name)) {
    const beside = (file: string): string => join(userDir, dirname(origin.file), file);
    const task = origin.kind === 'task' ? catalog.task(origin.name)?.task : undefined;
    if (task !== undefined) found.push(...contract.check({ task, file: beside('task.ts') }));
    if (origin.kind === 'device') {
      const device = exportedClass(program, beside('device.ts'), 'BaseDevice', at);
      if (device !== undefined && 'code' in device) found.push(device);
    }
    if (origin.kind === 'protocol') {
      const file = beside('optimizer.ts');
      const snapshot = catalog.protocol(origin.name);
      found.push(...checkOptimizer(program, optimizer, file, at));
      if (snapshot !== undefined) found.push(...checkOptimizerNames(program, file, snapshot, at));
    }
  }
  return { found, sources: own.length };
}

/** Whether an error of the compiler only says that the generated types leave out a broken definition. */
function isVictim({ message }: Diagnostic, { origins }: Catalog): boolean {
  const name = /^Property '(.+?)' does not exist on type '(?:TaskTypes|InitParameters)/.exec(message)?.[1];
  return name !== undefined && origins.some((origin) => origin.name === name && !origin.sound);
}

/**
 * The packages of a user directory, with all their faults. Leaves nothing on the disk.
 *
 * @param codeKey as for {@link checkPackages}
 */
export async function readCatalog(userDir: string, codeKey?: string): Promise<Catalog> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'svc-check-'));
  try {
    return await loadPackages({ userDir, cacheDir, codeKey });
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

/** The folder of each package with definitions, relative to the user directory, by the name of the package. */
export function packageFolders(catalog: Catalog): Map<string, string> {
  const folders = new Map<string, string>();
  for (const { package: name, file } of catalog.origins) {
    const parts = file.split('/');
    // The folder of a package is the last one with its name above the folder of the definitions.
    const index = parts.indexOf(name);
    folders.set(name, index === -1 ? '' : parts.slice(0, index + 1).join('/'));
  }
  return folders;
}

function declaredType(program: ts.Program, file: string, type: string): ts.Type | undefined {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === type);
  return symbol && checker.getDeclaredTypeOfSymbol(symbol);
}

function place(userDir: string): At {
  return (node, code, message, hint) => {
    const source = node.getSourceFile();
    const { line, character } = ts.getLineAndCharacterOfPosition(source, node.getStart(source));
    return {
      file: relativeTo(userDir, source.fileName),
      line: line + 1,
      column: character + 1,
      path: '',
      code,
      message,
      hint: hint ?? null,
    };
  };
}

function staleTypes(file: string, folder: string): Diagnostic {
  return {
    file,
    line: null,
    column: null,
    path: '',
    code: 'stale_types',
    message: 'the definitions have changed since it was written',
    hint: `svc pkg types ${folder || '.'}`,
  };
}
