import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './guide-blocks.js';

/** Every statement about the interface names existing tests that check it on the running service. */

const page = 'docs/reference/conformance.md';

interface Statement {
  id: string;
  /** The text of the statement. Empty when it is missing. */
  text: string;
  tests: string[];
}

/** The items of the page: `- **id**: text`, and below each item the tests, `` - `file`: title ``. */
function statementsOf(text: string): Statement[] {
  return text
    .split(/^- (?=\*\*)/m)
    .slice(1)
    .map((item) => {
      const [, id = '', said = ''] = /^\*\*(.+?)\*\*: (.*)/.exec(item) ?? [];
      const tests = [...item.matchAll(/^ {2}- `([\w-]+)`: (.*)$/gm)].map(
        ([, file, title]) => `${file}: ${title}`,
      );
      return { id, text: said, tests };
    });
}

/** The title of a test with the values of its row in place of `%s`, where these are texts or numbers. */
function titlesOf(template: string, table: ts.Expression | undefined): string[] {
  if (table !== undefined && ts.isAsExpression(table)) return titlesOf(template, table.expression);
  if (table === undefined || !ts.isArrayLiteralExpression(table)) return [template];
  return table.elements.map((row) => {
    const values = ts.isArrayLiteralExpression(row) ? [...row.elements] : [row];
    return template.replace(/%s/g, (mark) => {
      const value = values.shift();
      return value !== undefined && (ts.isStringLiteralLike(value) || ts.isNumericLiteral(value))
        ? value.text
        : mark;
    });
  });
}

/** Titles of the tests of a file, each after the titles of its groups. Skipped tests are omitted. */
function testsIn(file: string): string[] {
  const source = ts.createSourceFile(file, textOf(`e2e/${file}`), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node, group: string): void => {
    let within = group;
    if (ts.isCallExpression(node)) {
      const table = ts.isCallExpression(node.expression) ? node.expression : undefined;
      const name = (table ?? node).expression.getText(source);
      const title = node.arguments[0];
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        if (name === 'describe') within = `${group}${title.text} `;
        if (name === (table ? 'it.each' : 'it'))
          found.push(...titlesOf(title.text, table?.arguments[0]).map((each) => `${group}${each}`));
      }
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, '');
  return found;
}

/** The files with the tests of a file that only imports them. */
const partsOf = (file: string): string[] =>
  [...textOf(`e2e/${file}`).matchAll(/^import '\.\/(.+)\.js';$/gm)].map(([, path]) => `${path}.ts`);

const statements = statementsOf(textOf(page));
const tests = new Set(
  readdirSync(`${root}e2e`)
    .filter((file) => file.endsWith('.e2e.test.ts'))
    .flatMap((file) => [file, ...partsOf(file)])
    .flatMap((file) =>
      testsIn(file).map((title) => `${basename(file).replace(/(\.e2e\.test)?\.ts$/, '')}: ${title}`),
    ),
);

describe(page, () => {
  it('has a statement under every id, and each id once', () => {
    expect(statements.length).toBeGreaterThanOrEqual(80);
    expect(statements.filter(({ id, text }) => id === '' || text === '')).toEqual([]);
    const ids = statements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(statements)('the tests of $id exist', ({ tests: named }) => {
    expect(named).not.toEqual([]);
    expect(named.filter((test) => !tests.has(test))).toEqual([]);
  });
});
