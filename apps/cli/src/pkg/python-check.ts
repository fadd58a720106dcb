import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalog, Diagnostic } from '@lab/definitions';
import { Python, pythonHost } from '@lab/hosting';
import { relativeTo } from './place.js';

interface Asked {
  /** Absolute. */
  file: string;
  kind: 'device' | 'task';
  /** Names of the parameters of a task. */
  inputs?: string[];
  outputs?: string[];
}

/** The program that reads code without executing it: in a clone, and in a package of the release. */
const places = ['libs/python-host/src/check.py', 'apps/agent/dist/bundle/hosts/python/check.py'];

/**
 * Compares the Python of packages with their definitions. Without Python on this computer, one finding says that the code is not
 * checked.
 *
 * @param userDir absolute; the files of findings are relative to it
 * @param packages names of the packages
 */
export async function checkPython(
  catalog: Catalog,
  userDir: string,
  packages: ReadonlySet<string>,
): Promise<{ found: Diagnostic[]; sources: number }> {
  const asked = catalog.origins
    .filter((origin) => packages.has(origin.package))
    .flatMap(({ kind, name, file }) => {
      if (kind !== 'device' && kind !== 'task') return [];
      const path = join(userDir, dirname(file), `${kind}.py`);
      if (!existsSync(path)) return [];
      const task = kind === 'task' ? catalog.task(name)?.task : undefined;
      // The code of a task whose definition has errors is compared with nothing.
      if (kind === 'task' && task === undefined) return [];
      const { input_parameters: inputs = {}, output_parameters: outputs = {} } = task ?? {};
      return [{ file: path, kind, inputs: Object.keys(inputs), outputs: Object.keys(outputs) }];
    });
  const [first] = asked;
  if (first === undefined) return { found: [], sources: 0 };
  const python = new Python();
  const search = await python.find();
  if ('why' in search) return { found: [unchecked(relativeTo(userDir, first.file), search.why)], sources: 0 };
  const found = await findingsOf(python, asked);
  const inUserDir = found.map((each) => ({ ...each, path: '', file: relativeTo(userDir, each.file) }));
  return { found: inUserDir, sources: asked.length };
}

function unchecked(file: string, why: string): Diagnostic {
  return {
    ...{ file, line: null, column: null, path: '', code: 'unchecked_python' },
    message: `the code in Python is not checked, because this computer has no Python 3.9 or later: ${why}`,
    hint: 'install Python, or type the command on a computer that has it',
  };
}

/** @throws Error when the program fails */
function findingsOf(python: Python, asked: readonly Asked[]): Promise<Omit<Diagnostic, 'path'>[]> {
  const { program, args } = pythonHost(python.program, checkProgram());
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let printed = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(printed) as Omit<Diagnostic, 'path'>[]);
      else reject(new Error(`the check of code in Python ended with ${code}: ${said.trim()}`));
    });
    child.stdin.end(JSON.stringify(asked));
  });
}

function checkProgram(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = places.map((place) => join(folder, place)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (folder === dirname(folder)) throw new Error(`${places[0]} is missing: install the product anew`);
  }
}
