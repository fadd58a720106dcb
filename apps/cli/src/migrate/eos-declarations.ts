import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Python } from '@lab/hosting';
import type { JsonValue } from '@lab/contracts';
import { askPython } from '../pkg/python-check.js';
import type { EosItem, EosReport } from './eos-report.js';

/** The declarations in Python of EOS 0.31, written as definition files. */
export interface Written {
  /** Files that were written, relative to the folder. */
  files: string[];
  /** Files for which none could be written, with the reasons. */
  left: Map<string, EosItem['reasons']>;
}

type Described =
  | { definition: Record<string, JsonValue> }
  | { faults: { line: number | null; message: string; hint: string | null }[] };

/**
 * Writes `device.yml` and `task.yml` beside the code that declares them. Reads the code with Python and executes none of it. A file
 * that exists stays as it is.
 *
 * @throws Error when this computer has no Python, or a file cannot be written
 */
export async function writeDeclarations({ folder, packages }: EosReport): Promise<Written> {
  const written: Written = { files: [], left: new Map() };
  const python = new Python();
  for (const { root, items } of packages) {
    const declared = items.filter(({ isDeclared }) => isDeclared === true);
    const [first] = declared;
    if (first === undefined) continue;
    await python.demand({ package: basename(root), source: first.file });
    const files = declared.map(({ kind, file }) => ({ kind, file: inside(root, join(folder, file)) }));
    const asked = { root, package: basename(root), files };
    const described = await askPython<Described[]>(python, 'describe_eos.py', asked);
    for (const [index, { kind, file }] of declared.entries()) {
      const found = described[index];
      if (found === undefined) continue;
      if ('faults' in found) {
        written.left.set(
          file,
          found.faults.map((fault) => ({ file, ...fault })),
        );
        continue;
      }
      const target = join(dirname(file), `${kind}.yml`);
      await writeFile(join(folder, target), yamlOf(found.definition, basename(file)), { flag: 'wx' });
      written.files.push(target);
    }
  }
  return written;
}

/** YAML with a line for each key, and for each entry of a mapping below it. */
function yamlOf(definition: Readonly<Record<string, JsonValue>>, source: string): string {
  const lines = Object.entries(definition).flatMap(([key, value]) => {
    if (
      typeof value !== 'object' ||
      value === null ||
      Array.isArray(value) ||
      Object.keys(value).length === 0
    )
      return [`${key}: ${JSON.stringify(value)}`];
    return [
      `${key}:`,
      ...Object.entries(value).map(([name, entry]) => `  ${name}: ${JSON.stringify(entry)}`),
    ];
  });
  return `# Written by "svc migrate eos" from the declaration in ${source}.\n${lines.join('\n')}\n`;
}

function inside(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}
