import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { config } from '../src/config.js';

let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agent-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const pools = (env: Record<string, string>): [number, number] => {
  const loaded = config.load({ cwd, env: { SVC_NATS_URL: 'nats://127.0.0.1:4222', ...env } });
  return [loaded.taskPoolSize, loaded.taskPoolMax];
};

describe('the number of task processes', () => {
  it('is 2 warm ones and at most 16 by default', () => {
    expect(pools({})).toEqual([2, 16]);
  });

  it('follows the limits of config.yml', () => {
    writeFileSync(join(cwd, 'config.yml'), 'limits: { task_pool_size: 5, task_pool_max: 9 }\n');
    expect(pools({})).toEqual([5, 9]);
  });

  it('follows the environment, which overrides config.yml', () => {
    writeFileSync(join(cwd, 'config.yml'), 'limits: { task_pool_size: 5, task_pool_max: 9 }\n');
    expect(pools({ SVC_TASK_POOL_SIZE: '0' })).toEqual([0, 9]);
  });
});
