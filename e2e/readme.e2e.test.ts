import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AttentionRecord, Page } from '@lab/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** The commands in the README and on the page about campaigns work as written. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let lab: Lab;

/** The requests of a page and its commands to a running service, in their order. */
async function commandsOf(page: string): Promise<string[]> {
  const text = await readFile(`${root}${page}`, 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap((block) => (block[1] ?? '').split(/\n(?=curl |npx )/))
    .filter((command) => /^(curl |npx svc (?!agent|pkg))/.test(command));
}

const requestsOf = async (page: string): Promise<string[]> =>
  (await commandsOf(page)).filter((command) => command.startsWith('curl '));

/** Types a command of `svc`. @returns the exit code and the output */
async function typedToSvc(command: string): Promise<{ code: number; printed: string }> {
  const script = command.replace('npx svc', `"${process.execPath}" "${root}apps/cli/bin/svc.mjs"`);
  return run('bash', ['-c', script], { cwd: root, env: { ...process.env, SVC_URL: lab.stack.url } }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      printed: stdout + stderr,
    }),
  );
}

/** Types a request. @returns the status and the output */
async function typed(command: string): Promise<{ status: number; stdout: string }> {
  const here = command.replaceAll('http://127.0.0.1:8070', lab.stack.url);
  const { stdout } = await run('bash', ['-c', here.replace('curl -s', 'curl -s -w "\\n%{http_code}"')], {
    cwd: root,
  });
  return { status: Number(stdout.trimEnd().split('\n').at(-1)), stdout };
}

describe('the requests of the README', { timeout: 400_000 }, () => {
  let commands: string[] = [];

  beforeAll(async () => {
    commands = await commandsOf('README.md');
    lab = await startLab(['color_lab', 'multiplication_lab']);
  });
  afterAll(() => lab.stack.dispose());

  it('are all present', () => {
    expect(commands.filter((command) => command.startsWith('curl ')).length).toBeGreaterThanOrEqual(8);
    expect(commands.filter((command) => command.startsWith('npx ')).length).toBeGreaterThanOrEqual(8);
  });

  it('are answered as written and in order', async () => {
    for (const command of commands) {
      if (command.startsWith('curl ')) {
        const { status, stdout } = await typed(command);
        expect([200, 201, 202], `${command}\n${stdout}`).toContain(status);
        continue;
      }
      const { code, printed } = await typedToSvc(command);
      // The page says that the stop cannot reach the computer without an agent.
      expect(code, `${command}\n${printed}`).toBe(/^npx svc estop --reason/.test(command) ? 3 : 0);
    }
  });

  it('leave no decision to a person, and no device that cannot be used', async () => {
    const devices = await eventually(
      () => lab.api.devices(),
      (all) => all.every(({ computer, state }) => computer !== 'svc_computer' || state === 'idle'),
    );
    expect(devices.length).toBeGreaterThan(5);
    const open = await lab.api.call<Page<AttentionRecord>>('GET', '/api/attention?state=open');
    expect(open.body.items).toEqual([]);
    expect((await typedToSvc('npx svc attention')).printed.trim()).toBe('nothing needs attention');
  });

  it('lead to the description of the interface', async () => {
    const page = await fetch(`${lab.stack.url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('swagger');
  });
});

describe('the requests of the campaigns page', () => {
  // This page has a campaign of the same name as the README, so it needs a fresh lab.
  beforeAll(async () => {
    lab = await startLab(['color_lab', 'multiplication_lab']);
  });
  afterAll(() => lab.stack.dispose());

  it('are answered as written and in order, each after its precondition holds', async () => {
    // The campaign must still run when the last request about it is typed.
    const commands = (await requestsOf('docs/guide/campaigns.md')).map((command) =>
      command.replace('"max_protocol_runs": 24', '"max_protocol_runs": 0'),
    );
    expect(commands.length).toBeGreaterThanOrEqual(9);
    expect(commands[0]).toContain('"max_protocol_runs": 0');
    for (const command of commands)
      await eventually(
        () => typed(command),
        // The status is 503 while the optimizer starts, and 409 while runs of the campaign are still ending.
        ({ status }) => ![409, 503].includes(status),
        60_000,
      ).then(({ status, stdout }) => expect([200, 201, 202], `${command}\n${stdout}`).toContain(status));
  });
});
