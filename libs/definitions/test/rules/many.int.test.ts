import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited, soundPackage, type Files } from '../package-fixture.js';

const lab = 'demo/laboratories/lab/lab.yml';
const task = 'demo/tasks/mix/task.yml';
const protocol = 'demo/experiments/run/experiment.yml';

describe('a package with many mistakes', () => {
  it('gives 100 errors for 100 mistakes, each at its line', () => {
    const list = (count: number, text: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => text(index)).join('');
    const { diagnostics } = assemble({
      'bad/laboratories/l/lab.yml': `name: l\ndesc: x\ndevices:\n${list(25, (i) => `  d${i}: {type: none${i}, computer: svc_computer}\n`)}`,
      'bad/tasks/t/task.yml': `type: t\ndesc: x\ninput_parameters:\n${list(25, (i) => `  p${i}: {type: int, desc: x}\n`)}`,
      'bad/experiments/p/experiment.yml': `type: p\ndesc: x\nlabs: [lab]\ntasks:\n${list(
        25,
        (i) =>
          `  - name: t${i}\n    type: weigh\n    devices: {scale: {lab_name: lab, name: none${i}}}\n    resources: {cup: beaker1}\n    dependencies: [none${i}]\n`,
      )}`,
    });
    expect(diagnostics).toHaveLength(100);
    expect(new Set(diagnostics.map(({ file, line }) => `${file}:${line ?? '-'}`)).size).toBe(100);
    for (const { line } of diagnostics) expect(line).toBeGreaterThan(0);
  });
});

describe('a misspelt name', () => {
  const cases: [kind: string, files: Files, meant: string][] = [
    ['key', edited(lab, 'desc: A lab', 'decs: A lab'), 'desc'],
    ['device type', edited(lab, 'mixer2: {type: mixer', 'mixer2: {type: mixr'), 'mixer'],
    ['device type of a task', edited(task, 'mixer: {type: mixer}', 'mixer: {type: mixxer}'), 'mixer'],
    ['computer', edited(lab, 'computer: svc_computer', 'computer: svc_computr'), 'svc_computer'],
    ['init parameter', edited(lab, '{speed: 5}', '{sped: 5}'), 'speed'],
    ['resource type', edited(lab, 'vial1: {type: vial}', 'vial1: {type: vail}'), 'vial'],
    ['parameter type', edited(task, 'type: float', 'type: flaot'), 'float'],
    ['lab', edited(protocol, 'labs: [lab]', 'labs: [lba]'), 'lab'],
    ['lab of a device', edited(protocol, 'lab_name: lab', 'lab_name: lba'), 'lab'],
    ['allowed lab', edited(protocol, 'allowed_labs: [lab]', 'allowed_labs: [lba]'), 'lab'],
    ['task type', edited(protocol, 'type: weigh', 'type: weight'), 'weigh'],
    ['dependency', edited(protocol, 'dependencies: [b]', 'dependencies: [B]'), 'b'],
    ['device', edited(protocol, 'name: mixer1', 'name: mixxer1'), 'mixer1'],
    ['device handle of a reference', edited(protocol, 'mixer: a.mixer', 'mixer: a.mixr'), 'mixer'],
    ['resource', edited(protocol, 'cup: {name: beaker1', 'cup: {name: beakr1'), 'beaker1'],
    ['annotated resource', edited(protocol, '  beaker1: {meta', '  beakr1: {meta'), 'beaker1'],
    ['resource handle', edited(protocol, 'cup: a.cup', 'cap: a.cup'), 'cup'],
    ['parameter', edited(protocol, 'target: 2', 'targt: 2'), 'target'],
    ['parameter of a reference', edited(protocol, 'volume: a.total', 'volume: a.totl'), 'total'],
    ['task of a reference', edited(protocol, 'mixer: a.mixer', 'mixer: A.mixer'), 'a'],
    ['marker', edited(protocol, 'volume: svc_dynamic', 'volume: SVC_DYNAMIC'), 'svc_dynamic'],
    ['helper', edited(lab, 'desc: A lab', 'desc: {{uper "a"}}'), 'upper'],
    ['variable', edited(lab, 'desc: A lab', '{{set count=1}}\ndesc: A {{cuont}}'), 'count'],
    ['partial', edited(lab, 'desc: A lab', '{{#*inline "pump"}}x{{/inline}}\ndesc: {{> pmup}}'), 'pump'],
  ];
  it.each(cases)('%s leads to the right suggestion', (_kind, files, meant) => {
    expect(assemble({}).diagnostics).toEqual([]);
    const { diagnostics, warnings } = assemble(files);
    const hints = [...diagnostics, ...warnings].map(({ hint }) => hint ?? '');
    expect(hints.some((hint) => new RegExp(`did you mean "?${meant}"?\\?`).test(hint))).toBe(true);
  });

  it('of a device handle leads to the declared handle', () => {
    const { diagnostics } = assemble(edited(protocol, 'mixer: a.mixer', 'mixr: a.mixer'));
    expect(diagnostics.map(({ hint }) => hint)).toContain('rename "mixr" to it');
  });

  it('without a similar name leads to a list of all names', () => {
    const { diagnostics } = assemble(edited(protocol, 'type: weigh', 'type: distill'));
    expect(diagnostics.map(({ hint }) => hint)).toContain('there are mix, weigh');
    expect(soundPackage[protocol]).not.toContain('distill');
  });
});
