import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@lab/contracts';
import type { Catalog, Diagnostic } from '@lab/definitions';
import { optimizerFaults, type ProtocolSnapshot } from '@lab/definitions/model';
import { Python, pythonHost } from '@lab/hosting';
import { nameFault, namesOf } from './optimizer-names.js';
import { relativeTo } from './place.js';

interface Asked {
  /** Absolute. */
  file: string;
  kind: 'device' | 'task' | 'optimizer';
  /** Names of the parameters of a task. */
  inputs?: string[];
  outputs?: string[];
}

/** What an optimizer declares or names in its text. */
interface Named {
  file: string;
  line: number;
  column: number;
  text: string;
  /** As what it is declared; absent: it is only a text. */
  kind?: 'input' | 'output';
  /** The literal bounds, step or values of a declared input. */
  entry?: JsonObject;
}

/** What the program finds in code. */
interface Found {
  findings: Omit<Diagnostic, 'path'>[];
  named: Named[];
}

/** The folders of the programs that read code without executing it: in a clone, and in a package of the release. */
const places = ['libs/python-host/src', 'apps/agent/dist/bundle/hosts/python'];

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
  const protocols = new Map<string, ProtocolSnapshot>();
  const asked = catalog.origins
    .filter((origin) => packages.has(origin.package))
    .flatMap(({ kind, name, file }): Asked[] => {
      if (kind === 'lab') return [];
      const code = kind === 'protocol' ? 'optimizer' : kind;
      const path = join(userDir, dirname(file), `${code}.py`);
      if (!existsSync(path)) return [];
      const snapshot = kind === 'protocol' ? catalog.protocol(name) : undefined;
      if (snapshot !== undefined) protocols.set(path, snapshot);
      const task = kind === 'task' ? catalog.task(name)?.task : undefined;
      // The code of a task whose definition has errors is compared with nothing.
      if (kind === 'task' && task === undefined) return [];
      const { input_parameters: inputs = {}, output_parameters: outputs = {} } = task ?? {};
      return [{ file: path, kind: code, inputs: Object.keys(inputs), outputs: Object.keys(outputs) }];
    });
  const [first] = asked;
  if (first === undefined) return { found: [], sources: 0 };
  const python = new Python();
  const search = await python.find();
  if ('why' in search) return { found: [unchecked(relativeTo(userDir, first.file), search.why)], sources: 0 };
  const { findings, named } = await askPython<Found>(python, 'check.py', asked);
  const found = [...findings, ...named.flatMap((each) => faultsOfName(each, protocols.get(each.file)))];
  const inUserDir = found.map((each) => ({ ...each, path: '', file: relativeTo(userDir, each.file) }));
  return { found: inUserDir, sources: asked.length };
}

/** Compares a name, and the domain of a declared input, with the protocol, by the rules for TypeScript and of a submission. */
function faultsOfName(
  { file, line, column, text, kind, entry = {} }: Named,
  snapshot: ProtocolSnapshot | undefined,
): Omit<Diagnostic, 'path'>[] {
  if (snapshot === undefined) return [];
  const fault = nameFault(text, kind, namesOf(snapshot));
  if (fault !== undefined) return [{ file, line, column, ...fault, hint: fault.hint ?? null }];
  if (kind !== 'input') return [];
  const inputs = [{ key: text, ...entry }];
  const made = { input_names: [text], output_names: [], additional_names: [], arguments: { inputs } };
  return optimizerFaults(snapshot, made).flatMap(({ path, code, message, hint }) =>
    // The outputs are declared elsewhere.
    path === 'optimizer.output_names' ? [] : [{ file, line, column, code, message, hint: hint ?? null }],
  );
}

function unchecked(file: string, why: string): Diagnostic {
  return {
    ...{ file, line: null, column: null, path: '', code: 'unchecked_python' },
    message: `the code in Python is not checked, because this computer has no Python 3.9 or later: ${why}`,
    hint: 'install Python, or type the command on a computer that has it',
  };
}

/**
 * What a program of the library for Python answers to JSON.
 *
 * @param python that was found
 * @throws Error when the program fails
 */
export function askPython<T>(
  python: Python,
  name: 'check.py' | 'describe_eos.py',
  asked: unknown,
): Promise<T> {
  const { program, args } = pythonHost(python.program, placeOfProgram(name));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let printed = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(printed) as T);
      else reject(new Error(`${name} ended with ${code}: ${said.trim()}`));
    });
    child.stdin.end(JSON.stringify(asked));
  });
}

function placeOfProgram(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = places.map((place) => join(folder, place, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (folder === dirname(folder)) throw new Error(`${name} is missing: install the product anew`);
  }
}
