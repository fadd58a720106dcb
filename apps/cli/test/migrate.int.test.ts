import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eosModules, type EosReport } from '../src/migrate/eos-report.js';
import { svcHere, type Ran } from './in-process.js';
import './loaded-here.js';

/** `svc migrate eos` as an engineer types it before a lab moves. */

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const migrate = (...args: string[]): Promise<Ran> => svcHere(['migrate', 'eos', ...args], { folder });

function put(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, 'user/shelf/demo', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const pump = {
  'labs/lab/lab.yml': 'name: lab\ndesc: A lab\ndevices: {pump_1: {type: pump, computer: eos_computer}}\n',
  'devices/pump/device.yml': 'type: pump\n',
  'devices/pump/device.py':
    'import time\nimport numpy as np\nfrom eos.devices.base_device import BaseDevice\nfrom user.shelf.demo.common import port\n',
  'common/port.py': 'import serial.tools\nraise SystemExit("executed")\n',
  'tasks/look/task.yml': 'type: Look\n',
  'tasks/look/task.py': 'from eos.tasks.base_task import BaseTask\n',
};

const looking = {
  'protocols/looking/protocol.yml': 'type: looking\nlabs: [lab]\ntasks: [{name: look, type: Look}]\n',
};

async function reported(): Promise<EosReport> {
  const { out } = await migrate('user', '--json');
  return JSON.parse(out) as EosReport;
}

describe('svc migrate eos', () => {
  it('says of each definition whether it runs, and which libraries of PyPI it needs, and executes nothing', async () => {
    put(pump);
    const { code, out, err } = await migrate('user');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`demo
  lab        lab   runs as it is
  device     pump  needs numpy, pyserial of PyPI
  task       Look  runs as it is
2 run as they are, 1 need libraries, 0 cannot run
`);
    expect(readdirSync(join(folder, 'user/shelf/demo/devices/pump'))).toEqual(['device.py', 'device.yml']);
  });

  it.each([
    [
      'the SiLA 2 classes',
      { 'tasks/look/task.py': 'import os\nfrom eos.integrations.sila import SilaClientContext\n' },
      ['task', 'Look', 'shelf/demo/tasks/look/task.py', 2, 'SiLA 2'],
    ],
    [
      'a part of EOS that does not exist here',
      { 'tasks/look/task.py': 'from eos.orchestration.orchestrator import Orchestrator\n' },
      ['task', 'Look', 'shelf/demo/tasks/look/task.py', 1, 'eos.orchestration.orchestrator is a part'],
    ],
    [
      'a device that no package has',
      { 'tasks/look/task.yml': 'type: Look\ndevices: {camera: {type: camera}}\n' },
      ['task', 'Look', 'shelf/demo/tasks/look/task.yml', 2, 'no device type "camera"'],
    ],
    [
      'another package',
      { 'tasks/look/task.py': 'from eos.tasks.base_task import BaseTask\nimport user.other.port\n' },
      ['task', 'Look', 'shelf/demo/tasks/look/task.py', 2, 'leads to another package'],
    ],
    [
      'Jinja',
      { 'tasks/look/task.yml': 'type: Look\n{% set x = 3 %}\n' },
      ['task', 'look', 'shelf/demo/tasks/look/task.yml', 2, '{% ... %} is not evaluated'],
    ],
    [
      'an optimizer that imports what does not exist here',
      {
        ...looking,
        'protocols/looking/optimizer.py':
          'import random\nfrom eos.optimization.beacon_ai_agent import A\ndef eos_create_campaign_optimizer(): ...\n',
      },
      [
        'optimizer',
        'looking',
        'shelf/demo/protocols/looking/optimizer.py',
        2,
        'eos.optimization.beacon_ai_agent is',
      ],
    ],
    [
      'an optimizer without its function',
      { ...looking, 'protocols/looking/optimizer.py': 'import pandas\n' },
      [
        'optimizer',
        'looking',
        'shelf/demo/protocols/looking/optimizer.py',
        null,
        'does not define a function',
      ],
    ],
    [
      'a declaration in Python',
      { 'tasks/new/task.py': 'from eos import task\n\n@task("New Task")\nasync def new() -> None: ...\n' },
      ['task', 'New Task', 'shelf/demo/tasks/new/task.py', null, 'declared in Python'],
    ],
  ])('says where, why and what to do about %s, and exits with 1', async (_, files, wanted) => {
    put({ ...pump, ...files });
    expect((await migrate('user')).code).toBe(1);
    const items = (await reported()).packages.flatMap((each) => each.items);
    const found = items.filter(({ result }) => result === 'cannot_run');
    expect(
      found.flatMap(({ kind, name, reasons }) =>
        reasons.map(({ file, line, message, hint }) => {
          expect(hint).not.toBeNull();
          return [kind, name, file, line, message];
        }),
      ),
    ).toEqual([[...wanted.slice(0, 4), expect.stringContaining(String(wanted[4]))]]);
  });

  it.each([
    ['AbstractSequentialOptimizer', 'abstract_sequential_optimizer', ['pandas']],
    ['BayesianSequentialOptimizer', 'sequential_bayesian_optimizer', ['bofire[optimization]']],
    ['BeaconOptimizer', 'beacon_optimizer', ['bofire[optimization]']],
  ])('names the libraries that an optimizer with %s needs', async (name, module, libraries) => {
    const text = `from eos.optimization.${module} import ${name}\n\ndef eos_create_campaign_optimizer(): ...\n`;
    put({ ...pump, ...looking, 'protocols/looking/optimizer.py': text });
    expect((await migrate('user')).code).toBe(0);
    const items = (await reported()).packages.flatMap((each) => each.items);
    expect(items.find(({ kind }) => kind === 'optimizer')).toMatchObject({
      ...{ name: 'looking', result: 'needs_libraries', libraries, reasons: [] },
    });
  });

  it.skipIf(withoutPython())('writes the definition files that EOS 0.31 declares in Python', async () => {
    put({
      'labs/lab/lab.yml': 'name: lab\ndesc: A lab\ndevices: {pump_1: {type: pump, computer: eos_computer}}\n',
      'devices/pump/device.py': `import serial
from eos import Device
raise SystemExit("executed")
class Pump(Device, type="pump"):
    """Pumps."""
    class Config(Device.Config):
        port: str
        speed: float = 2.5
`,
      'resources.py': 'from eos import Resource\n\nclass Beaker(Resource, type="beaker"): ...\n',
      'tasks/fill/task.py': `from typing import Literal
from pydantic import BaseModel
from eos import Context, File, Param, task
from demo.resources import Beaker
from ...devices.pump.device import Pump
LIMIT = 25
class Outputs(BaseModel):
    dosed: float = Param(unit="ml", desc="How much")
    table: bytes = Param(file_name="table.csv")
    beaker: Beaker
@task("Fill Beaker")
async def fill(
    pump: Pump,
    beaker: Beaker,
    context: Context,
    volume: float = Param(unit="ml", min=0, max=LIMIT),
    mode: Literal["slow", "fast"] = "slow",
    spot: tuple[int, int] = Param((0, 0), min=(-1, -1)),
    second: Pump | None = None,
    raw: File | None = None,
) -> Outputs:
    """Fills."""
`,
      'tasks/computed/task.py':
        'import os\nfrom eos import Param, task\n@task("Computed")\nasync def computed(n: int = Param(os.cpu_count())) -> None: ...\n',
    });
    const { code, out, err } = await migrate('user', '--write');
    expect([code, err]).toEqual([
      1,
      'wrote shelf/demo/devices/pump/device.yml\nwrote shelf/demo/tasks/fill/task.yml\n',
    ]);
    expect(out).toContain('shelf/demo/tasks/computed/task.py:4: the default of the input n is computed');
    const written = (file: string): string => readFileSync(join(folder, 'user/shelf/demo', file), 'utf8');
    expect(written('devices/pump/device.yml'))
      .toBe(`# Written by "svc migrate eos" from the declaration in device.py.
type: "pump"
desc: "Pumps."
init_parameters:
  port: null
  speed: 2.5
`);
    expect(written('tasks/fill/task.yml'))
      .toBe(`# Written by "svc migrate eos" from the declaration in task.py.
type: "Fill Beaker"
desc: "Fills."
devices:
  pump: {"type":"pump"}
input_resources:
  beaker: {"type":"beaker"}
input_parameters:
  volume: {"type":"float","desc":"","unit":"ml","min":0,"max":25}
  mode: {"type":"choice","choices":["slow","fast"],"desc":"","value":"slow"}
  spot: {"type":"list","element_type":"int","length":2,"desc":"","min":[-1,-1],"value":[0,0]}
input_files:
  raw: {"desc":"","required":false}
output_parameters:
  dosed: {"type":"float","desc":"How much","unit":"ml"}
output_resources:
  beaker: {"type":"beaker"}
`);
    expect(out).toMatch(/device +pump +needs pydantic, pyserial of PyPI\n/);
  });

  it('refuses a folder without packages', async () => {
    mkdirSync(join(folder, 'user'));
    expect((await migrate('user')).code).toBe(2);
    expect(await migrate('nothing')).toMatchObject({ code: 2, err: expect.stringContaining('not a folder') });
  });

  it.skipIf(withoutPython())('knows the modules that the library for Python has', async () => {
    const python = new Python();
    await python.demand({ package: 'the test', source: 'of the modules' });
    const source = fileURLToPath(new URL('../../../libs/python-host/src', import.meta.url));
    const program =
      'import sys; sys.path.insert(0, sys.argv[1]); from svc_lab.eos import modules; print(*modules._MODULES)';
    const printed = execFileSync(python.program, ['-B', '-c', program, source]).toString();
    expect(printed.trim().split(' ').sort()).toEqual(eosModules);
  });
});
