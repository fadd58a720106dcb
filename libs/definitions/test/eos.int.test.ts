import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPackages, validateProtocolText, type Catalog } from '../src/index.js';
import { createUserDir, writeFiles, type Files } from './package-fixture.js';

/** A package as EOS has them: descriptions are optional, and the fields that it ignores may be there. */
const pump: Files = {
  'shelf/demo/pyproject.toml': '[project]\nname = "demo"\n',
  'shelf/demo/labs/lab/lab.yml': `name: lab
desc: A lab
owner: somebody
devices:
  pump_1: {type: pump, computer: eos_computer, init_parameters: {port: COM3}, meta: {location: shelf}}
resources:
  b1: {type: beaker}
`,
  'shelf/demo/devices/pump/device.yml': 'type: pump\ninit_parameters: {port: 3}\n',
  'shelf/demo/devices/pump/device.py': 'from eos.devices.base_device import BaseDevice\n',
  'shelf/demo/tasks/fill/task.yml': `type: Fill Beaker
devices:
  pump: {type: pump}
input_resources:
  beaker: {type: beaker}
output_resources:
  lid: {type: beaker}
input_parameters:
  volume: {type: float, unit: ml, min: null}
  mode: {type: choice, choices: [slow, fast], value: slow}
output_parameters:
  dosed: {type: float, unit: l, value: 3}
  mode: {type: choice}
  curve: {type: list}
`,
  'shelf/demo/tasks/fill/task.py':
    'from eos.tasks.base_task import BaseTask\nfrom user.shelf.demo.common import units\n',
  'shelf/demo/common/units.py': '',
};
const task = (name: string, more: string): string => `
  - name: ${name}
    type: Fill Beaker
    devices: {pump: {lab_name: lab, name: pump_1}}
    resources: {beaker: b1}
${more}`;
const protocol = `type: filling
labs: [lab]
tasks:${task('first', '    parameters: {volume: EOS_DYNAMIC}')}${task(
  'second',
  '    dependencies: [first]\n    parameters: {volume: first.dosed, mode: first.mode}',
)}`;

let folder: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  folder = await createUserDir();
});
afterEach(() => folder.dispose());

async function load(files: Files = {}): Promise<Catalog> {
  await writeFiles(
    folder.userDir,
    { ...pump, 'shelf/demo/protocols/filling/protocol.yml': protocol, ...files },
    {},
  );
  return loadPackages(folder);
}

describe('a package of EOS', () => {
  it('loads without a change', async () => {
    const catalog = await load();
    expect([catalog.diagnostics, catalog.warnings]).toEqual([[], []]);
    expect(catalog.lab('lab')).toMatchObject({
      devices: { pump_1: { computer: 'svc_computer', init_parameters: { port: 'COM3' } } },
      resources: { b1: { type: 'beaker', meta: {} } },
    });
    const fill = catalog.task('Fill Beaker')?.task;
    expect(fill).toMatchObject({ desc: '', unchecked_outputs: true });
    expect(Object.keys(fill?.output_resources ?? {})).toEqual(['beaker', 'lid']);
    const [first, second] = catalog.protocol('filling')?.protocol.tasks ?? [];
    expect(first?.parameters['volume']).toEqual({ kind: 'dynamic' });
    expect(second?.parameters['volume']).toEqual({ kind: 'reference', task: 'first', parameter: 'dosed' });
  });

  it('loads with its optimizer, and with a warning about libraries that it has not locked', async () => {
    const catalog = await load({
      'shelf/demo/protocols/filling/optimizer.py':
        'from eos.optimization.exceptions import X\ndef eos_create_campaign_optimizer(): ...\n',
      'shelf/demo/pyproject.toml': '[project]\nname = "demo"\ndependencies = ["eos", "numpy"]\n',
    });
    expect(catalog.diagnostics).toEqual([]);
    expect(catalog.warnings.map(({ code }) => code)).toEqual(['missing_lock']);
    expect(catalog.protocol('filling')?.protocol.optimizer).toMatchObject({
      source: 'protocols/filling/optimizer.py',
      runtime: 'python',
    });
  });

  it('is refused with an optimizer that has no factory', async () => {
    const file = 'shelf/demo/protocols/filling/optimizer.py';
    const { diagnostics } = await load({ [file]: 'def create_campaign_optimizer(): ...\n' });
    expect(diagnostics).toMatchObject([{ file, code: 'missing_export' }]);
  });

  it('is bundled with the files that it imports by their place in the folder of all packages', async () => {
    const catalog = await load();
    const { module } = catalog.task('Fill Beaker')?.task ?? {};
    const text = JSON.parse(await catalog.module(module?.hash ?? '')) as { files: object };
    expect(Object.keys(text.files)).toEqual(['common/units.py', 'tasks/fill/task.py']);
  });

  it('has its faults at their places in the files', async () => {
    const catalog = await load({
      'shelf/demo/protocols/filling/protocol.yml': protocol
        .replace('pump_1}', 'pump_9}')
        .replace('{volume: first.dosed,', '{volume: [first.dosed, first.volume],')
        .replace('    dependencies: [first]', '    dependencies: [first]\n    run_if: first.dosed > 3'),
    });
    expect(catalog.diagnostics.map(({ line, column, code }) => [line, column, code])).toEqual([
      [6, 43, 'unknown_device'],
      [14, 5, 'eos_run_if'],
      [15, 18, 'eos_fan_in'],
    ]);
  });

  it.each([
    [
      'devices/pump/device.py',
      'from eos.devices.base_device import BaseDevice\nimport user.other.drivers\n',
      [2, 1, 'code'],
    ],
    [
      'labs/lab/lab.yml',
      'name: lab\ndesc: Old\ndevices: {}\ncontainers:\n  - {type: beaker}\n',
      [4, 1, 'eos_too_old'],
    ],
  ])('with what cannot run in %s has a fault there', async (file, text, place) => {
    const { diagnostics } = await load({ [`shelf/demo/${file}`]: text });
    const found = diagnostics.filter((each) => each.file === `shelf/demo/${file}`);
    expect(found.map(({ line, column, code }) => [line, column, code])).toEqual([place]);
  });

  it('is recognised in the text of a protocol that somebody edits', async () => {
    const catalog = await load();
    expect(validateProtocolText(catalog, protocol)).toEqual([]);
    const wrong = protocol.replace('type: Fill Beaker', 'type: Fil Beaker');
    expect(validateProtocolText(catalog, wrong).map(({ code }) => code)).toEqual(['unknown_task_type']);
  });

  it('is one only by its imports or names, so that others keep their rules', async () => {
    const catalog = await load({
      'shelf/demo/labs/lab/lab.yml':
        'name: lab\ndesc: A lab\ndevices: {}\nresource_types: {beaker: {}}\nresources: {b1: {type: beaker}}\n',
      'shelf/demo/devices/pump/device.py': 'from svc_lab.eos import BaseDevice\n',
      'shelf/demo/tasks/fill/task.py': 'from svc_lab.eos import BaseTask\n',
      'shelf/demo/protocols/filling/protocol.yml': null,
    });
    expect(catalog.diagnostics.map(({ file, code }) => [file, code])).toContainEqual([
      'shelf/demo/devices/pump/device.yml',
      'missing_key',
    ]);
  });
});
