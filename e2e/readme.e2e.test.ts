import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLab, type Lab } from './lab.js';

/** What the README tells a newcomer to type does what it says. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let lab: Lab;
let commands: string[] = [];

beforeAll(async () => {
  const readme = await readFile(`${root}README.md`, 'utf8');
  commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap((block) => (block[1] ?? '').split(/\n(?=curl )/))
    .filter((command) => command.startsWith('curl '));
  lab = await startLab(['color_lab', 'multiplication_lab']);
});
afterAll(() => lab.stack.dispose());

describe('the requests of the README', () => {
  it('are all there', () => {
    expect(commands.length).toBeGreaterThanOrEqual(7);
  });

  it('are answered as they stand, in their order', async () => {
    for (const command of commands) {
      const here = command.replaceAll('http://127.0.0.1:8070', lab.stack.url);
      const { stdout } = await run(
        'bash',
        ['-c', `${here.replace('curl -s', 'curl -s -w "\\n%{http_code}"')}`],
        {
          cwd: root,
        },
      );
      const status = Number(stdout.trimEnd().split('\n').at(-1));
      expect([200, 201, 202], `${command}\n${stdout}`).toContain(status);
    }
  });

  it('lead to the description of the interface', async () => {
    const page = await fetch(`${lab.stack.url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('swagger');
  });
});
