import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited, type Files } from '../package-fixture.js';
import { testRules, type Edit } from './rule.js';

const protocol = 'demo/experiments/run/experiment.yml';
const task = 'demo/tasks/mix/task.yml';
const weigh = 'demo/tasks/weigh/task.yml';

const file = (entry: string): Edit => ['input_resources:', `input_files:\n  raw: ${entry}\ninput_resources:`];
/** Not used here: no task of the sound package has an input file. */
const free = '{desc: Readings, required: false}';

describe('an input file', () => {
  testRules(task, [
    ['has a description', file(free), file('{required: false}'), '13:input_files.raw.desc missing_key'],
    [
      'has known keys only',
      file('{desc: x, required: false, media_type: text/csv}'),
      file('{desc: x, required: false, type: csv}'),
      '13:input_files.raw.type unknown_key',
    ],
    [
      'is required or not',
      file(free),
      file('{desc: x, required: maybe}'),
      '13:input_files.raw.required wrong_type',
    ],
    [
      'has a media type of two words',
      file('{desc: x, required: false, media_type: image/svg+xml}'),
      file('{desc: x, required: false, media_type: csv}'),
      '13:input_files.raw.media_type invalid_value',
    ],
    [
      'has a handle without a dot',
      file(free),
      ['input_resources:', `input_files:\n  ra.w: ${free}\ninput_resources:`],
      '13:input_files.ra.w bad_name',
    ],
  ]);

  it('is required by default, and is absent from tasks without input files', () => {
    const catalog = assemble(edited(task, ...file('{desc: x}')));
    expect(catalog.task('mix')?.task.input_files).toEqual({ raw: { desc: 'x', required: true } });
    expect(catalog.task('weigh')?.task).not.toHaveProperty('input_files');
  });
});

/** The sound package with files for its last task, which weighs. */
function weighing(declared: string, files: string | null, more: Edit = ['target: 2', 'target: 2']): Files {
  const type = edited(weigh, 'isolation: reusable', `input_files:\n  raw: ${declared}\nisolation: reusable`);
  const [text = ''] = Object.values(edited(protocol, ...more));
  const given = files === null ? '' : `    files:\n      ${files}\n`;
  return { ...type, [protocol]: `${text ?? ''}${given}` };
}

function faults(files: Files): string[] {
  return assemble(files).diagnostics.map(({ path, code }) => `${path} ${code}`);
}

describe('an input file in a protocol', () => {
  it('refers to a file of another task by a name that may contain dots, and makes that task a dependency', () => {
    const catalog = assemble(weighing('{desc: x}', 'raw: a.spectrum.v2.csv'));
    expect(catalog.diagnostics).toEqual([]);
    const [, , last] = catalog.protocol('run')?.protocol.tasks ?? [];
    expect(last?.files).toEqual({ raw: { task: 'a', name: 'spectrum.v2.csv' } });
    expect(last?.dependencies).toEqual(['b', 'a']);
  });

  it('orders the tasks', () => {
    const text = `type: run
desc: Reads before it is written in the file
labs: [lab]
tasks:
  - {name: late, type: weigh, devices: {scale: {lab_name: lab, name: scale1}}, resources: {cup: beaker1}, files: {raw: early.x}}
  - {name: early, type: weigh, devices: {scale: {lab_name: lab, name: scale1}}, resources: {cup: beaker1}}
`;
    const catalog = assemble({ ...weighing(free, null), [protocol]: text });
    expect(catalog.diagnostics).toEqual([]);
    expect(catalog.protocol('run')?.protocol.tasks.map(({ name }) => name)).toEqual(['early', 'late']);
  });

  it.each<[string, Files, string]>([
    [
      'comes from a task that exists',
      weighing('{desc: x}', 'raw: z.a.csv'),
      'tasks[2].files.raw unknown_task',
    ],
    ['names a file', weighing('{desc: x}', 'raw: a'), 'tasks[2].files.raw bad_reference'],
    ['is written as text', weighing('{desc: x}', 'raw: [a.csv]'), 'tasks[2].files.raw wrong_type'],
    [
      'has a name that a task can give',
      weighing('{desc: x}', 'raw: a.b/c'),
      'tasks[2].files.raw bad_file_name',
    ],
    ['is not its own', weighing('{desc: x}', 'raw: c.a.csv'), 'tasks[2].files.raw not_an_ancestor'],
    [
      'has a handle of the task type',
      weighing(free, 'row: a.a.csv'),
      'tasks[2].files.row unknown_file_handle',
    ],
    ['is there when the task needs it', weighing('{desc: x}', null), 'tasks[2].files missing_file'],
    [
      'is of the media type that the task needs',
      weighing('{desc: x, media_type: text/csv}', 'raw: a.picture.png'),
      'tasks[2].files.raw media_type',
    ],
    [
      'leads to no cycle',
      {
        ...weighing('{desc: x}', 'raw: a.a.csv', ['  - name: b', '    dependencies: [c]\n  - name: b']),
      },
      'tasks[0].dependencies cycle',
    ],
  ])('%s', (_rule, files, expected) => {
    expect(faults(files)).toContain(expected);
  });

  it('may be omitted when it is optional, and then the protocol does not contain it', () => {
    const catalog = assemble(weighing(free, null));
    expect(catalog.diagnostics).toEqual([]);
    expect(catalog.protocol('run')?.protocol.tasks[2]).not.toHaveProperty('files');
  });
});
