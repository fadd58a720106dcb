import { describe, expect, it } from 'vitest';
import { hostsWith } from './hosts-with.js';

const hosts = hostsWith('/nowhere/python3');
const nothing = (): Promise<never> => Promise.reject(new Error('there are no libraries'));
const module = { hash: 'h', package: 'paint_lab', source: 'experiments/paint/optimizer.py' };

describe('a worker without Python', () => {
  it('says in one sentence what an optimizer in Python needs', async () => {
    await expect(hosts.demand({ ...module, runtime: 'python' }, nothing)).rejects.toMatchObject({
      code: 'optimizer_unavailable',
      message: expect.stringMatching(
        /has no Python 3\.9 or later, which paint_lab\/experiments\/paint\/optimizer\.py needs \(there is no \/nowhere\/python3\): .*SVC_PYTHON$/,
      ) as string,
    });
  });

  it('runs optimizers in TypeScript, with the limit of their memory', async () => {
    await hosts.demand(module, nothing);
    expect(hosts.programFor({ runtime: 'node' }).args[0]).toBe('--max-old-space-size=64');
  });
});
