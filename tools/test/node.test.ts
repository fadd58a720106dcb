import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../node.mjs', import.meta.url));
const start = (args: string[], npm: string) =>
  spawnSync(process.execPath, [tool, ...args], {
    env: { ...process.env, npm_execpath: npm },
    encoding: 'utf8',
  });

describe('npm run test:node', () => {
  it.each(['', 'latest', '22x', '../22'])('refuses "%s", which names no version of Node', (version) => {
    const { status, stderr } = start([version], '/usr/bin/npm-cli.js');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'name a version of Node, for example: npm run test:node -- 22\n',
    });
  });

  it('asks to be started with npm', () => {
    const { status, stderr } = start(['22'], '');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'start this with npm: npm run test:node -- 22\n',
    });
  });
});
