import { Python } from '@lab/hosting';
import { describe, expect, it } from 'vitest';
import { OptimizerHosts } from '../src/hosts.js';

const hosts = new OptimizerHosts({ python: new Python('/nowhere/python3'), memoryMb: 64 });
const module = { hash: 'h', package: 'paint_lab', source: 'experiments/paint/optimizer.py' };

describe('a worker without Python', () => {
  it('says in one sentence what an optimizer in Python needs', async () => {
    await expect(hosts.demand({ ...module, runtime: 'python' })).rejects.toMatchObject({
      code: 'optimizer_unavailable',
      message: expect.stringMatching(
        /has no Python 3\.9 or later, which paint_lab\/experiments\/paint\/optimizer\.py needs \(there is no \/nowhere\/python3\): .*SVC_PYTHON$/,
      ) as string,
    });
  });

  it('runs optimizers in TypeScript, with the limit of their memory', async () => {
    await hosts.demand(module);
    expect(hosts.programFor('node').args[0]).toBe('--max-old-space-size=64');
  });
});
