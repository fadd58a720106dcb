import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Path in the user directory to text. null omits the file of the base. */
export type Files = Readonly<Record<string, string | null>>;

/** A small laboratory without faults. */
export const soundPackage = {
  'demo/package.json': '{"name": "demo", "type": "module"}',
  'demo/laboratories/lab/lab.yml': `name: lab
desc: A lab
computers:
  pc1: {ip: 10.0.0.2}
devices:
  mixer1:
    type: mixer
    computer: pc1
    init_parameters: {speed: 5}
  mixer2: {type: mixer, computer: svc_computer}
  scale1: {type: scale, computer: svc_computer, meta: {room: 1}}
resource_types:
  beaker: {meta: {capacity: 100, colour: none}}
  vial:
resources:
  beaker1: {type: beaker, meta: {colour: red, id: 7}}
  beaker2: {type: beaker}
  vial1: {type: vial}
`,
  'demo/devices/mixer/device.yml': 'type: mixer\ndesc: Mixes\ninit_parameters: {speed: 1, port: COM1}\n',
  'demo/devices/mixer/device.ts': 'export default class Mixer {}\n',
  'demo/devices/scale/device.yml': 'type: scale\ndesc: Weighs\n',
  'demo/devices/scale/device.ts': 'export default class Scale {}\n',
  'demo/tasks/mix/task.yml': `type: mix
desc: Mixes
devices:
  mixer: {type: mixer}
input_parameters:
  volume: {type: float, unit: ml, desc: Volume, min: 0, max: 10}
  times: {type: int, unit: n/a, desc: How often, value: 1}
  label: {type: str, desc: Label, value: none}
output_parameters:
  total: {type: float, unit: ml, desc: Total}
  count: {type: int, unit: n/a, desc: Count}
input_resources:
  cup: {type: beaker}
`,
  'demo/tasks/mix/task.ts': 'export default class Mix {}\n',
  'demo/tasks/weigh/task.yml': `type: weigh
desc: Weighs
devices:
  scale: {type: scale}
input_parameters:
  target: {type: float, unit: g, desc: Target, value: 1}
output_parameters:
  mass: {type: float, unit: g, desc: Mass}
input_resources:
  cup: {type: beaker}
isolation: reusable
`,
  'demo/tasks/weigh/task.ts': 'export default class Weigh {}\n',
  'demo/experiments/run/experiment.yml': `type: run
desc: Mix and weigh
labs: [lab]
resources:
  beaker1: {meta: {sample: x}}
tasks:
  - name: a
    type: mix
    devices:
      mixer: {lab_name: lab, name: mixer1, hold: true}
    resources:
      cup: {name: beaker1, hold: true}
    parameters:
      volume: svc_dynamic
  - name: b
    type: mix
    devices:
      mixer: a.mixer
    resources:
      cup: a.cup
    parameters:
      volume: a.total
    dependencies: [a]
  - name: c
    type: weigh
    devices:
      scale: {allocation_type: dynamic, device_type: scale, allowed_labs: [lab]}
    resources:
      cup: {ref: b.cup, hold: true}
    parameters:
      target: 2
    dependencies: [b]
`,
} as const;

/** A user directory that is removed with `dispose`. */
export async function createUserDir(): Promise<{
  userDir: string;
  cacheDir: string;
  dispose: () => Promise<void>;
}> {
  const root = await mkdtemp(join(tmpdir(), 'definitions-'));
  return {
    userDir: join(root, 'user'),
    cacheDir: join(root, 'cache'),
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

/** Replaces the content of the user directory by the sound package with `files` added. */
export async function writeFiles(userDir: string, files: Files, base: Files = soundPackage): Promise<void> {
  await rm(userDir, { recursive: true, force: true });
  await mkdir(userDir, { recursive: true });
  for (const [path, text] of Object.entries({ ...base, ...files })) {
    if (text === null) continue;
    const target = join(userDir, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** A file of the sound package with one part replaced. */
export function edited(path: keyof typeof soundPackage, from: string, to: string): Files {
  const text: string = soundPackage[path];
  if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
  return { [path]: text.replace(from, to) };
}
