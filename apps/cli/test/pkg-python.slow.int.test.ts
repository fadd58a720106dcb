import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutPython } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPackages } from '../src/pkg/check.js';
import { addPart, createPackage } from '../src/pkg/scaffold.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe.skipIf(withoutPython())('the check of code in Python', () => {
  let userDir: string;
  beforeEach(async () => {
    userDir = mkdtempSync(join(tmpdir(), 'svc-python-check-'));
    await createPackage(userDir, 'demo', true);
    await addPart(userDir, 'device', 'demo', 'arm');
    await addPart(userDir, 'task', 'demo', 'move');
  });
  /** A protocol with an optimizer: it chooses how long the task takes. */
  const addOptimizer = async (): Promise<void> => {
    await addPart(userDir, 'lab', 'demo', 'bench');
    await addPart(userDir, 'protocol', 'demo', 'moving');
    const open = 'desc: The first step\n    parameters: { seconds: svc_dynamic }\n';
    edit('experiments/moving/experiment.yml', 'desc: The first step\n', open);
    await addPart(userDir, 'optimizer', 'demo', 'moving');
  };
  afterEach(() => rmSync(userDir, { recursive: true, force: true }));

  const edit = (file: string, from: string, to: string): void => {
    const path = join(userDir, 'demo', file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  const found = async (): Promise<string[]> =>
    (await checkPackages({ userDir, packageDir: null })).errors.map(
      ({ file, line, code, message }) => `${file}:${line} ${code} ${message}`,
    );

  it('counts its files, and finds nothing in new ones', async () => {
    expect(await checkPackages({ userDir, packageDir: null })).toMatchObject({ errors: [], sources: 2 });
  });

  it.each([
    [
      'tasks/move/task.py',
      '"seconds"',
      '"hours"',
      'move/task.py:8 unknown_parameter task.yml has no input parameter "hours"',
    ],
    [
      'tasks/move/task.py',
      '"took": took',
      '"lasted": took',
      'move/task.py:12 unknown_output_parameter task.yml has no output parameter "lasted"',
    ],
    [
      'tasks/move/task.py',
      ', "took": took',
      '',
      'move/task.py:12 missing_output the output parameter "took" of task.yml is not returned',
    ],
    ['devices/arm/device.py', 'def run(self):', 'def run(self:', 'arm/device.py:20 syntax '],
    [
      'devices/arm/device.py',
      'def _cleanup',
      'def cleanup',
      'arm/device.py:4 missing_method the class ArmDevice lacks _cleanup',
    ],
    [
      'devices/arm/device.py',
      '@effect',
      '@effect(parameters={"to": {"type": "flaot"}})',
      'arm/device.py:19 wrong_declaration @effect on run: parameters.to.type is flaot',
    ],
    [
      'devices/arm/device.py',
      '@effect',
      '@effect(parameters={"to": {"type": "str"}})',
      'arm/device.py:19 wrong_declaration @effect on run: parameters.to: the method does not take it',
    ],
  ])('in %s finds %j replaced by %j', async (file, from, to, fault) => {
    edit(file, from, to);
    expect((await found()).join('\n')).toContain(fault);
  });

  it('counts a new optimizer, and finds nothing in it', async () => {
    await addOptimizer();
    expect(await checkPackages({ userDir, packageDir: null })).toMatchObject({ errors: [], sources: 3 });
    await expect(addPart(userDir, 'optimizer', 'demo', 'moving', { python: false })).rejects.toThrow(
      'optimizer.py exists already',
    );
  });

  it('compares what an optimizer declares with the protocol', async () => {
    await addOptimizer();
    const file = 'experiments/moving/optimizer.py';
    writeFileSync(
      join(userDir, 'demo', file),
      `from svc_lab.optimizer import ContinuousInput, ContinuousOutput, Minimize
from svc_lab.optimizers import OptunaOptimizer

inputs = [ContinuousInput("move.hours", (0, 1)), ContinuousInput(key="move.seconds", bounds=(-5, 1))]
outputs = [ContinuousOutput("move.tok", Minimize())]


class Half(AbstractSequentialOptimizer):
    pass


def svc_create_campaign_optimizer(size):
    return {"inputs": inputs, "outputs": outputs}
`,
    );
    const all = await found();
    for (const fault of [
      `${file}:4 unknown_input "move.hours" is not a svc_dynamic parameter of the protocol moving`,
      `${file}:4 bounds [-5, 1] is not within the limits of move.seconds`,
      `${file}:5 unknown_output "move.tok" is not a numeric output parameter of the protocol moving`,
      `${file}:8 missing_method the class Half lacks sample`,
      `${file}:12 optimizer_type svc_create_campaign_optimizer takes parameters`,
      `${file}:13 optimizer_type svc_create_campaign_optimizer must return a pair`,
    ])
      expect(all.join('\n')).toContain(fault);
  });

  it.each(['bofire', 'optuna'])('finds nothing in the example of %s for color_lab', async (library) => {
    const lab = join(userDir, 'color_lab');
    cpSync(join(root, 'lab-packages/color_lab'), lab, { recursive: true });
    rmSync(join(lab, 'experiments/color_mixing/optimizer.ts'));
    const [from, to] = [`examples/${library}/optimizer.py`, 'experiments/color_mixing/optimizer.py'];
    cpSync(join(lab, from), join(lab, to));
    const all = await found();
    expect(all.filter((each) => each.includes('optimizer.py'))).toEqual([]);
    writeFileSync(join(lab, to), readFileSync(join(lab, to), 'utf8').replace('(5, 60)', '(5, 6000)'));
    expect((await found()).join('\n')).toContain(`${to}:`);
  });
});
