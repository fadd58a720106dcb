import { expect, it } from 'vitest';
import { pythonImports } from '../../src/code/python-imports.js';

const found = (text: string): string[] =>
  pythonImports(text).map(
    ({ dots, module, names }) => `${'.'.repeat(dots)}${module.join('.')} ${names.join(',')}`,
  );

it.each([
  ['import a', ['a ']],
  ['import a.b as c, d', ['a.b ', 'd ']],
  ['from a.b import c as d, e', ['a.b c,e']],
  ['from . import a', ['. a']],
  ['from .. import (\n  a,  # the first\n  b,\n)', ['.. a,b']],
  ['from ..a.b import *', ['..a.b ']],
  ['from .a import \\\n  b', ['.a b']],
  ['if TYPE_CHECKING: from a import b', ['a b']],
  ['def f():\n    import a; import b', ['a ', 'b ']],
  ['x = 1; from a import b', ['a b']],
  ['from . import a, ../../b, /etc/c', ['. a']],
  ['import a/../../b', []],
])('finds the imports of %j', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

it.each([
  '# import a',
  '"""\nimport a\n"""',
  "text = '''\nfrom a import b\n'''",
  'text = "import a"',
  "raise Failure('x') from error",
  'yield from values',
  'important = 1',
  'from_a = import_b',
])('finds no import in %j', (text) => {
  expect(found(text)).toEqual([]);
});

it('names the place of an import', () => {
  expect(pythonImports('x = """\n"""\n  from .a import b\n')).toMatchObject([{ line: 3, column: 3 }]);
});
