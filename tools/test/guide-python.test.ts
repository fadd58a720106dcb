import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { bundlePython } from '../../libs/definitions/src/code/index.js';
import { guideFiles, root } from './guide-blocks.js';

/** The Python of the guide is real: each file can be imported, and its class is one that a host accepts. */

const files = guideFiles.filter(({ path }) => path.endsWith('.py'));

const accept = `
import sys
sys.path.insert(0, sys.argv[1])
from svc_lab import BaseDevice, BaseTask
from svc_lab.functions import declared_functions
from svc_lab.host.author_optimizer import make_optimizer
from svc_lab.host.package_code import PackageCode, class_in, use
code = PackageCode(sys.argv[2])
use(code)
if sys.argv[3].endswith("device.py"):
    device = class_in(code, sys.argv[3], BaseDevice, ("_initialize", "_cleanup", "_report"))
    adds = device._svc_functions is not BaseDevice._svc_functions
    print(" ".join(declared_functions(device)) or ("it adds functions when it starts" if adds else ""))
elif sys.argv[3].endswith("optimizer.py"):
    try:
        print(make_optimizer(code, sys.argv[3], {}, [], lambda value: value).optimizer.names("get_input_names"))
    except ImportError as error:
        # A wrapper whose library this computer does not have. Its own tests say that they do not run.
        assert "pip install" in str(error), error
        print(error)
else:
    print(class_in(code, sys.argv[3], BaseTask, ("_execute",)).__name__)
`;

describe.skipIf(withoutPython())('the Python of the guide', () => {
  const place = mkdtempSync(join(tmpdir(), 'guide-python-'));
  const python = new Python();
  beforeAll(async () => {
    await python.demand({ package: 'the test', source: 'of the guide' });
    for (const { path, text } of files) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('includes devices, tasks and optimizers', () => {
    expect(new Set(files.map(({ path }) => path.split('/').at(-1)))).toEqual(
      new Set(['device.py', 'optimizer.py', 'task.py']),
    );
  });

  it.each(files.map(({ path }) => path))('%s has a class that a host accepts', async (path) => {
    const [owner = '', source = ''] = splitAt(path);
    const bundle = (await bundlePython(join(place, owner), owner, [source])).get(source);
    if (bundle?.ok !== true) expect.fail(JSON.stringify(bundle));
    const file = join(place, 'bundle.json');
    writeFileSync(file, bundle.text);
    const args = ['-I', '-c', accept, join(root, 'libs/python-host/src'), file, source];
    const { stdout } = await promisify(execFile)(python.program, args);
    expect(stdout.trim()).not.toBe('');
  });
});

/** The package of a file, and its path there. */
function splitAt(path: string): string[] {
  const at = path.search(/\/(devices|tasks|experiments)\//);
  return [path.slice(0, at), path.slice(at + 1)];
}
