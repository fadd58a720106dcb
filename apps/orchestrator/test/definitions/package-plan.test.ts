import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPackages, type Catalog } from '@lab/definitions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  concernedLabs,
  definitionChanges,
  deviceChanges,
  differencesOf,
  requireRoleFor,
  requireNoNewFaults,
  setAfter,
} from '../../src/definitions/package-plan.js';
import type { LoadedSet } from '../../src/loaded/index.js';

const name = 'multiplication_lab';
const nothing: LoadedSet = { labs: new Map(), protocols: new Map(), tasks: new Map(), draining: new Map() };
const all = { labs: null, protocols: null };
let folder = '';
let none: Catalog;
let first: Catalog;
let second: Catalog;
let faulty: Catalog;
let neighbour: Catalog;

/** A catalog of the package after an edit of its files. */
async function catalogOf(
  version: string,
  edits: Record<string, (text: string) => string>,
  more: (userDir: string) => void = () => undefined,
): Promise<Catalog> {
  const userDir = join(folder, version);
  const root = join(import.meta.dirname, '../../../../lab-packages', name);
  cpSync(root, join(userDir, name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  for (const [file, change] of Object.entries(edits)) {
    const path = join(userDir, name, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
  more(userDir);
  return loadPackages({ userDir, cacheDir: join(folder, 'cache') });
}

const labFile = `laboratories/${name}/lab.yml`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'package-plan-'));
  mkdirSync(join(folder, 'none'));
  none = await loadPackages({ userDir: join(folder, 'none'), cacheDir: join(folder, 'cache') });
  first = await catalogOf('first', {});
  second = await catalogOf('second', {
    [labFile]: (text) => text.replace('      offset: 0', '      offset: 1'),
    'tasks/multiply/task.yml': (text) => text.replace(/^desc:.*$/m, 'desc: Multiplies anew'),
  });
  faulty = await catalogOf('faulty', { 'tasks/wait/task.yml': (text) => `${text}\nnonsense: true\n` });
  neighbour = await catalogOf('neighbour', {}, (userDir) => {
    const other = join(userDir, 'other_lab/laboratories/other_lab');
    mkdirSync(other, { recursive: true });
    const computers = "computers: { bench_b: { desc: Shared, ip: '127.0.0.2' } }";
    writeFileSync(
      join(other, 'lab.yml'),
      `name: other_lab\ndesc: Shares a computer\n${computers}\ndevices: {}\n`,
    );
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('loads what is new in a package, unless the configuration leaves it out', () => {
  const exchange = { name, before: none, after: first };
  const next = setAfter(exchange, nothing, all);
  expect([...next.labs.keys()]).toEqual([name]);
  expect([...next.protocols.keys()]).toContain('slow_multiplication');
  expect(setAfter(exchange, nothing, { labs: [], protocols: null }).labs.size).toBe(0);
  expect(setAfter(exchange, nothing, { labs: null, protocols: [] }).protocols.size).toBe(0);
  expect(deviceChanges(differencesOf(nothing, next)).map(({ change }) => change)).toEqual(['added', 'added']);
});

it('starts only the changed devices again, and leaves unloaded what a person has unloaded', () => {
  const loaded = setAfter({ name, before: none, after: first }, nothing, all);
  const exchange = { name, before: first, after: second };
  const next = setAfter(exchange, loaded, all);
  expect(deviceChanges(differencesOf(loaded, next))).toEqual([
    { lab: name, name: 'multiplier_b', change: 'changed' },
  ]);
  expect(definitionChanges(exchange)).toEqual(
    expect.arrayContaining([
      { type: 'lab', name, change: 'changed' },
      { type: 'task', name: 'multiply', change: 'changed' },
    ]),
  );
  expect(definitionChanges(exchange).map((each) => each.name)).not.toContain('wait');
  expect(setAfter(exchange, nothing, all).labs.size).toBe(0);
});

it('unloads what a version does not have any more', () => {
  const loaded = setAfter({ name, before: none, after: first }, nothing, all);
  const next = setAfter({ name, before: first, after: none }, loaded, all);
  expect([next.labs.size, next.protocols.size]).toEqual([0, 0]);
  expect(next.tasks.has('multiply')).toBe(false);
  expect(differencesOf(loaded, next).get(name)?.gone).toContain('device multiplier_a');
});

it('concerns the laboratories that share a computer, and needs the role for each', () => {
  const exchange = { name, before: none, after: neighbour };
  const labs = concernedLabs(exchange, nothing);
  expect(labs).toEqual([name, 'other_lab']);
  expect(concernedLabs({ name, before: none, after: first }, nothing)).toEqual([name]);
  expect(() => requireRoleFor(name, labs, [name])).toThrow(/other_lab/);
  expect(() => requireRoleFor(name, labs, ['another_lab'])).toThrow(/role deployer/);
  expect(() => requireRoleFor(name, labs, [name, 'other_lab'])).not.toThrow();
  expect(() => requireRoleFor(name, labs, 'all')).not.toThrow();
  expect(() => requireRoleFor('library', [], [name])).toThrow(/all laboratories/);
});

it('refuses a version with errors, and one without definitions', () => {
  expect(() => requireNoNewFaults({ name, before: first, after: faulty })).toThrow(/has errors/);
  expect(() => requireNoNewFaults({ name, before: first, after: none })).toThrow(/has errors/);
  expect(() => requireNoNewFaults({ name, before: first, after: second })).not.toThrow();
});
