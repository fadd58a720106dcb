import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPackages, validateProtocolText, type Catalog } from '../src/index.js';
import { createUserDir, edited, soundPackage, writeFiles } from './package-fixture.js';

const protocol = 'demo/experiments/run/experiment.yml';
const text = soundPackage[protocol];

let place: Awaited<ReturnType<typeof createUserDir>>;
let catalog: Catalog;
beforeAll(async () => {
  place = await createUserDir();
  await writeFiles(place.userDir, {
    ...edited('demo/tasks/weigh/task.yml', 'desc: Weighs\n', ''),
    'demo/laboratories/two/lab.yml': 'name: two\ndesc: x\n',
    'demo/tasks/stir/task.yml': 'type: stir\ndesc: x\n',
    'demo/tasks/stir/task.ts': 'export default class Stir {}\n',
  });
  catalog = await loadPackages(place);
});
afterAll(() => place.dispose());

const found = (candidate: string): string[] =>
  validateProtocolText(catalog, candidate, { fileName: 'p.yml' }).map(
    ({ file, line, path, code }) => `${file}:${line ?? '-'}:${path} ${code}`,
  );

describe('the text of a protocol', () => {
  it('is sound when a package with it would load, also under a used name', () => {
    expect(found('type: run\ndesc: x\nlabs: [lab]\ntasks:\n  - {name: a, type: stir}\n')).toEqual([]);
  });

  it('is checked against the catalog, which distinguishes broken from unknown definitions', () => {
    expect(found(text)).toEqual(['p.yml:25:tasks[2].type depends_on_broken']);
    expect(found(text.replace('type: weigh', 'type: weight').replace('[lab]', '[lab, two, tree]'))).toEqual([
      'p.yml:3:labs[1] depends_on_broken',
      'p.yml:3:labs[2] unknown_lab',
      'p.yml:25:tasks[2].type unknown_task_type',
    ]);
  });

  it('with a fault in template or YAML, or above the size limit, has only that fault', () => {
    expect(found('type: x\n{{nope}}\n')).toEqual(['p.yml:2: template']);
    expect(found('type: [\n')).toEqual(['p.yml:1: yaml_syntax']);
    expect(found('x'.repeat(300_000))).toEqual(['p.yml:-: file_too_large']);
    expect(validateProtocolText(catalog, '')[0]?.file).toBe('experiment.yml');
  });
});
