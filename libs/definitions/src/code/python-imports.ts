/** An import of a Python file, as far as it can lead to files of the same package. */
export interface PythonImport {
  /** Number of leading dots; 0: the import is absolute. */
  dots: number;
  /** The names between dots after them; empty for `from . import a`. */
  module: readonly string[];
  /** What `from … import` takes of the module, which may be modules as well. */
  names: readonly string[];
  /** From 1. */
  line: number;
  column: number;
}

/** Comments, and strings with all quotes of Python. */
const quiet =
  /#[^\n]*|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/g;
const statement =
  /(?:^|[;:])[ \t]*(?:from[ \t]*(\.*)[ \t]*([\p{L}\p{N}_.]*)[ \t]*\bimport\b[ \t]*(\([^)]*\)|[^\n;]*)|import[ \t]+([^\n;]+))/gmu;

/** Finds the import statements of a text, wherever they stand. What a program imports by a computed name is not found. */
export function pythonImports(text: string): PythonImport[] {
  // Offsets stay as they are, so that a fault can be shown where it is.
  const code = text.replace(quiet, blank).replace(/\\\r?\n/g, (joined) => ' '.repeat(joined.length));
  return [...code.matchAll(statement)].flatMap((match) => {
    const [whole, dots = '', module = '', names = '', modules] = match;
    const offset = match.index + (/[fi]/.exec(whole)?.index ?? 0);
    const place = placeOf(text, offset);
    if (modules === undefined) {
      return [{ dots: dots.length, module: partsOf(module), names: namesIn(names), ...place }];
    }
    return namesIn(modules).map((name) => ({ dots: 0, module: partsOf(name), names: [], ...place }));
  });
}

const definition =
  /^(?:(?:async[ \t]+)?def|class)[ \t]+([\p{L}\p{N}_]+)|^([\p{L}\p{N}_]+)[ \t]*(?::[^=\n]*)?=(?!=)/gmu;
const importedNames = /^(?:from[ \t]*[\p{L}\p{N}_.]+[ \t]*)?import[ \t]*(\([^)]*\)|[^\n;]*)/gmu;

/** The names that statements at the beginning of a line give to a module; `*`: those of another module as well. */
export function pythonNames(text: string): string[] {
  const code = text.replace(quiet, blank).replace(/\\\r?\n/g, (joined) => ' '.repeat(joined.length));
  const defined = [...code.matchAll(definition)].map(([, name, variable]) => name ?? variable ?? '');
  const imported = [...code.matchAll(importedNames)].flatMap(([, names = '']) =>
    names
      .replace(/[()]/g, ' ')
      .split(',')
      .map((each) => each.trim().split(/\s+/).at(-1) ?? ''),
  );
  return [...new Set([...defined, ...imported])].filter((name) => name !== '');
}

const blank = (found: string): string => found.replace(/[^\n]/g, ' ');

const partsOf = (module: string): string[] => module.split('.').filter((part) => part !== '');

/** The names of a list, without those after `as`. What is no name could be a path that leads out of the package. */
function namesIn(list: string): string[] {
  return list
    .replace(/[()]/g, ' ')
    .split(',')
    .map((each) => each.trim().split(/\s/)[0] ?? '')
    .filter((name) => /^[\p{L}\p{N}_.]+$/u.test(name));
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
