import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromDevice, fromOptimizer, fromTask, toDevice, toOptimizer, toTask } from '@lab/contracts';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { beforeAll, describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../', import.meta.url));
const python = new Python();

/** The output of a program that can import the library. */
async function run(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(python.program, args, {
    cwd: folder,
    env: { PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
  });
  return stdout + stderr;
}

describe.skipIf(withoutPython())('the library for Python', () => {
  beforeAll(() => python.demand({ package: 'the test', source: 'of the library' }));

  it('passes its own tests', async () => {
    expect(await run('-m', 'unittest', 'discover', '-s', 'test')).toMatch(/^Ran [1-9]\d+ tests[\s\S]*^OK$/m);
  });

  it('knows the messages of the catalogue, and which of their fields are texts and objects', async () => {
    const program =
      'import json; from svc_lab.host.messages import TO_DEVICE, TO_TASK, TO_OPTIMIZER; print(json.dumps([TO_DEVICE, TO_TASK, TO_OPTIMIZER]))';
    const known = JSON.parse(await run('-c', program)) as Record<
      string,
      { texts?: string[]; objects?: string[] }
    >[];
    for (const [index, catalogue] of [toDevice, toTask, toOptimizer].entries()) {
      const shapes = catalogue.options.map(({ shape }) => shape as Record<string, object>);
      expect(Object.keys(known[index] ?? {}).sort()).toEqual(shapes.map(typeOf).sort());
      for (const shape of shapes) {
        const { texts = [], objects = [] } = known[index]?.[typeOf(shape)] ?? {};
        expect(Object.keys(shape)).toEqual(expect.arrayContaining([...texts, ...objects]));
      }
    }
  });

  it('sends no message that the catalogue lacks', async () => {
    const program = `import re, pathlib
for names in (["device_host"], ["task_host", "device_calls"], ["optimizer_host", "worker_calls"]):
    text = "".join(pathlib.Path(f"src/svc_lab/host/{each}.py").read_text() for each in (*names, "channel"))
    print(names[0], *sorted(set(re.findall(r'"type": "(\\w+)"', text))))`;
    const [device = '', task = '', optimizer = ''] = (await run('-c', program)).trim().split('\n');
    const types = (schema: typeof fromDevice | typeof fromTask | typeof fromOptimizer): string[] =>
      schema.options.map(({ shape }) => typeOf(shape));
    const sent = (line: string): string[] => line.split(' ').slice(1);
    expect(sent(device).sort()).toEqual(types(fromDevice).sort());
    expect(sent(task).sort()).toEqual(types(fromTask).sort());
    expect(sent(optimizer).sort()).toEqual(types(fromOptimizer).sort());
  });
});

function typeOf(shape: object): string {
  return (shape as { type: { value: string } }).type.value;
}
