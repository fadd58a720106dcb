import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { hintFor } from '../model/index.js';
import { fileFault, type Diagnostic } from '../documents/index.js';

export type DefinitionKind = 'lab' | 'device' | 'task' | 'protocol';

/** A definition file, with the code beside it. */
export interface FoundDefinition {
  kind: DefinitionKind;
  /** Absolute path of the YAML file. */
  path: string;
  /** Relative to the user directory, for diagnostics. */
  file: string;
  /** Name of the folder that holds the file. */
  folder: string;
  /** Source of the code relative to the package folder, with forward slashes; null when there is no code. */
  code: string | null;
}

export interface FoundPackage {
  /** Name of its folder; unique in the user directory. */
  name: string;
  /** Absolute path. */
  root: string;
  /** Relative to the user directory. */
  file: string;
  definitions: FoundDefinition[];
}

/** A package that is not in the user directory. It takes the place of one there with its name. */
export interface DeployedPackage {
  name: string;
  /** Absolute folder, which has the name of the package. */
  root: string;
}

export interface Discovery {
  packages: FoundPackage[];
  diagnostics: Diagnostic[];
  warnings: Diagnostic[];
}

/** Sub-folder of a package to the kind of its definitions. */
const subfolders: Readonly<Record<string, DefinitionKind>> = {
  laboratories: 'lab',
  labs: 'lab',
  devices: 'device',
  tasks: 'task',
  experiments: 'protocol',
  protocols: 'protocol',
};
const definitionFiles: Readonly<Record<DefinitionKind, readonly string[]>> = {
  lab: ['lab.yml'],
  device: ['device.yml'],
  task: ['task.yml'],
  protocol: ['experiment.yml', 'protocol.yml'],
};
const codeFiles: Readonly<Record<DefinitionKind, readonly string[]>> = {
  lab: [],
  device: ['device.ts', 'device.py'],
  task: ['task.ts', 'task.py'],
  protocol: ['optimizer.ts', 'optimizer.py'],
};
/** Files that make the user directory itself a package. */
const packageMarkers = ['package.json', 'pyproject.toml'];
const maxDepth = 10;

/**
 * Finds the packages of a user directory: folders, at any depth up to 10, that contain a folder `laboratories`,
 * `labs`, `devices`, `tasks`, `experiments` or `protocols`. A package does not contain packages. The user directory
 * itself is a package if it contains such a folder and a `package.json` or `pyproject.toml`. Hidden folders,
 * `node_modules`, `dist`, `__pycache__` and symbolic links are skipped.
 *
 * @param only names of the packages to read; default: all
 * @param deployed packages beside those of the user directory
 * @returns the packages, sorted by path, and the faults of the layout. Packages with the same name in the user directory are
 *   all skipped, and so is one that a deployed package replaces.
 */
export async function discoverPackages(
  userDir: string,
  only?: readonly string[],
  deployed: readonly DeployedPackage[] = [],
): Promise<Discovery> {
  const diagnostics: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  const exists = await stat(userDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!exists && deployed.length === 0) {
    diagnostics.push(fileFault('', 'missing_folder', 'the user directory does not exist or is not a folder'));
    return { packages: [], diagnostics, warnings };
  }
  const roots = exists ? await findPackages(userDir, userDir, 0) : [];
  const byName = new Map<string, string[]>();
  for (const root of roots) {
    const name = root.split(sep).at(-1) ?? root;
    byName.set(name, [...(byName.get(name) ?? []), root]);
  }
  for (const name of only ?? []) {
    if (byName.has(name) || deployed.some((each) => each.name === name)) continue;
    diagnostics.push(
      fileFault(
        '',
        'unknown_package',
        `there is no package "${name}" in the user directory`,
        hintFor(name, byName.keys()) ?? 'there are none',
      ),
    );
  }
  const packages: FoundPackage[] = [];
  for (const [name, paths] of byName) {
    if (only && !only.includes(name)) continue;
    if (deployed.some((each) => each.name === name)) {
      for (const path of paths)
        warnings.push(
          fileFault(
            relativeTo(userDir, path),
            'replaced_package',
            `an uploaded version of the package "${name}" is active, so this folder is not read`,
            `remove the folder, or make it the active one: svc pkg activate ${name} folder`,
          ),
        );
      continue;
    }
    if (paths.length > 1) {
      for (const path of paths) {
        const others = paths.filter((other) => other !== path).map((other) => relativeTo(userDir, other));
        diagnostics.push(
          fileFault(
            relativeTo(userDir, path),
            'duplicate_package',
            `there is another package "${name}": ${others.join(', ')}`,
            'rename one of the folders; none of them is loaded',
          ),
        );
      }
      continue;
    }
    const root = paths[0] ?? '';
    const definitions = await findDefinitions(userDir, root, diagnostics);
    packages.push({ name, root, file: relativeTo(userDir, root), definitions });
  }
  for (const { name, root } of deployed) {
    if (only && !only.includes(name)) continue;
    packages.push({
      name,
      root,
      file: name,
      definitions: await findDefinitions(dirname(root), root, diagnostics),
    });
  }
  packages.sort((a, b) => (a.file < b.file ? -1 : 1));
  return { packages, diagnostics, warnings };
}

/** Text of a file, or its fault. */
export async function readDefinition(
  path: string,
  maxSize: number,
): Promise<string | { code: string; message: string }> {
  try {
    const { size } = await stat(path);
    if (size > maxSize) {
      return {
        code: 'file_too_large',
        message: `the file has ${size} bytes, but at most ${maxSize} are allowed`,
      };
    }
    const bytes = await readFile(path);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { code: 'not_utf8', message: 'the file is not valid UTF-8' };
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return { code: 'unreadable', message: `the file cannot be read (${reason})` };
  }
}

async function findPackages(userDir: string, folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !isIgnored(entry.name));
  const holdsDefinitions = folders.some((entry) => Object.hasOwn(subfolders, entry.name));
  const isPackage =
    holdsDefinitions && (folder !== userDir || entries.some((entry) => packageMarkers.includes(entry.name)));
  if (isPackage) return [folder];
  if (depth >= maxDepth) return [];
  const found = await Promise.all(
    folders.map((entry) => findPackages(userDir, join(folder, entry.name), depth + 1)),
  );
  return found.flat();
}

async function findDefinitions(
  userDir: string,
  root: string,
  diagnostics: Diagnostic[],
): Promise<FoundDefinition[]> {
  const found: FoundDefinition[] = [];
  const visit = async (kind: DefinitionKind, folder: string, depth: number): Promise<void> => {
    const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const names = definitionFiles[kind].filter((name) => files.includes(name));
    const codes = codeFiles[kind].filter((name) => files.includes(name));
    const [codeFile] = codes;
    for (const name of names) {
      const path = join(folder, name);
      const code = codeFile === undefined ? null : relativeTo(root, join(folder, codeFile));
      const file = relativeTo(userDir, path);
      found.push({ kind, path, file, folder: folder.split(sep).at(-1) ?? '', code });
    }
    for (const same of [names, codes]) {
      if (same.length < 2) continue;
      diagnostics.push(
        fileFault(
          relativeTo(userDir, folder),
          'two_definitions',
          `the folder holds ${same.join(' and ')}`,
          'keep one',
        ),
      );
    }
    if (names.length === 0) {
      const wanted = definitionFiles[kind][0] ?? '';
      const misnamed = files.find((name) => name.replace(/\.yaml$/, '.yml') === wanted);
      if (misnamed !== undefined || codeFile !== undefined) {
        diagnostics.push(
          fileFault(
            relativeTo(userDir, join(folder, misnamed ?? codeFile ?? '')),
            'missing_definition',
            `there is no ${wanted} beside it`,
            misnamed === undefined ? `write ${wanted}` : `rename it to ${wanted}`,
          ),
        );
      }
    }
    if (depth >= maxDepth) return;
    for (const entry of entries) {
      if (entry.isDirectory() && !isIgnored(entry.name))
        await visit(kind, join(folder, entry.name), depth + 1);
    }
  };
  for (const [name, kind] of Object.entries(subfolders)) {
    const folder = join(root, name);
    const exists = await stat(folder).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    if (exists) await visit(kind, folder, 0);
  }
  return found;
}

function isIgnored(name: string): boolean {
  return name.startsWith('.') || ['node_modules', 'dist', '__pycache__'].includes(name);
}

function relativeTo(from: string, to: string): string {
  return relative(from, to).split(sep).join('/');
}
