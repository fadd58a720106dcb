import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareDiagnostics, loadPackages, type Catalog, type Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import { checkOptimizer, optimizerExpectation } from './optimizer-contract.js';
import { PackageChecker } from './package-code.js';
import { packageTypes, typesFile } from './package-types.js';
import { relativeTo, type Place } from './place.js';
import { expectations, TaskContract, type At } from './task-contract.js';

export interface CheckReport {
  /** Folder to which the files of the diagnostics are relative. Absolute. */
  userDir: string;
  /** By file and line. */
  errors: Diagnostic[];
  /** Findings with which a package can still run. */
  warnings: Diagnostic[];
  packages: number;
  definitions: number;
  sources: number;
}

/**
 * Finds every fault of packages: in their definitions and references, in the types of their code, between the code of each
 * task and its `task.yml`, and in the code of optimizers. Writes nothing.
 *
 * A package is checked together with its siblings, but their faults are not reported. The code of a task is compared with
 * its `task.yml` only if that file has no error.
 */
export async function checkPackages({ userDir, packageDir }: Place): Promise<CheckReport> {
  const catalog = await readCatalog(userDir);
  const all = packageFolders(catalog);
  const wanted = packageDir === null ? undefined : relativeTo(userDir, packageDir);
  const isWanted = (file: string): boolean =>
    wanted === undefined || file === '' || file === wanted || file.startsWith(`${wanted}/`);
  const chosen = [...all].filter(([, folder]) => isWanted(folder));
  const checker = new PackageChecker(userDir);
  const definitions = catalog.diagnostics.filter(({ file }) => isWanted(file));
  const warnings: Diagnostic[] = [];
  const ofCode: Diagnostic[] = [];
  let sources = 0;
  for (const [name, folder] of chosen) {
    const root = join(userDir, folder);
    const text = packageTypes(catalog, name, folder);
    const generated = join(root, typesFile);
    if (existsSync(generated) && readFileSync(generated, 'utf8') !== text) {
      warnings.push(staleTypes(`${folder}/${typesFile}`, relativeTo(process.cwd(), root)));
    }
    const texts = new Map([[generated, `${text}${expectations}${optimizerExpectation}`]]);
    const code = checker.check({ folder: root, texts });
    sources += code.files - 1;
    ofCode.push(...code.diagnostics);
    const expected = (type: string) => declaredType(code.program, generated, type);
    const contract = new TaskContract(code.program, expected('Expected'), place(userDir));
    const optimizer = expected('ExpectedOptimizer');
    for (const origin of catalog.origins.filter((each) => each.package === name)) {
      const beside = (file: string): string => join(userDir, dirname(origin.file), file);
      const task = origin.kind === 'task' ? catalog.task(origin.name)?.task : undefined;
      if (task !== undefined) ofCode.push(...contract.check({ task, file: beside('task.ts') }));
      if (origin.kind === 'protocol') {
        ofCode.push(...checkOptimizer(code.program, optimizer, beside('optimizer.ts'), place(userDir)));
      }
    }
  }
  const places = new Set(ofCode.map(({ file, line }) => `${file}:${line}`));
  const errors = [
    // The compiler has already reported code that the bundler cannot read, with a better message.
    ...definitions.filter(({ code, file, line }) => code !== 'code' || !places.has(`${file}:${line}`)),
    ...ofCode,
  ].sort(compareDiagnostics);
  return {
    userDir,
    errors,
    warnings,
    packages: chosen.length,
    definitions: catalog.origins.filter(({ file }) => isWanted(file)).length,
    sources,
  };
}

/** The packages of a user directory, with all their faults. Leaves nothing on the disk. */
export async function readCatalog(userDir: string): Promise<Catalog> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'svc-check-'));
  try {
    return await loadPackages({ userDir, cacheDir });
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
