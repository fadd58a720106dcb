import { expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited, type soundPackage } from '../package-fixture.js';

/** A part of the file of the sound package, and its replacement. */
export type Edit = readonly [from: string, to: string];

/** One rule: an edit that keeps it, and an edit that breaks it with the `line:path code` of the diagnostic. */
export type Rule = readonly [rule: string, keeps: Edit, breaks: Edit, expected: string];

/** For rules that the unchanged sound package follows. */
export const asItStands: Edit = ['', ''];

/** Tests each rule with both of its edits, and that a faulty definition is not usable. */
export function testRules(file: keyof typeof soundPackage, rules: readonly Rule[]): void {
  it.each(rules)('%s', (_rule, keeps, breaks, expected) => {
    expect(assemble(edited(file, ...keeps)).diagnostics).toEqual([]);
    const catalog = assemble(edited(file, ...breaks));
    const found = catalog.diagnostics
      .filter((diagnostic) => diagnostic.file === file)
      .map(({ line, path, code }) => `${line ?? '-'}:${path} ${code}`);
    expect(found).toContain(expected);
    expect(catalog.origins.find((origin) => origin.file === file)?.sound).toBe(false);
  });
}
