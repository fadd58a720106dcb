import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { EffectRecord } from '@lab/contracts';
import { Api, eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** The question of an auditor: who moved the device, when, with what, and with which code. */

const svc = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));
const place = 'faulty_lab';

let lab: Lab | undefined;
afterEach(() => lab?.stack.dispose());

/** Makes the folder a Git repository with one commit. @returns the commit */
function commitAll(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=ann', '-c', 'user.email=ann@lab.example', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  return git('rev-parse', 'HEAD');
}

const run = (args: readonly string[], env: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [svc, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`${out}\n${err}`, { cause: error })),
    );
  });

/** The service with packages in a Git repository, and a person who may read everything. */
async function startAudited(auth: 'off' | 'tokens') {
  let commit = '';
  lab = await startFaultyLab({ idle: false, env: { SVC_AUTH: auth } }, (userDir) => {
    commit = commitAll(userDir);
  });
  const { dataDir, url } = lab.stack;
  const create = ['token', 'create', 'ann', '--role', 'admin', '--local', '--json'];
  const token =
    auth === 'off'
      ? ''
      : (JSON.parse(await run(create, { SVC_DATA_DIR: dataDir })) as { token: string }).token;
  const api = new Api(url, token);
  await eventually(
    () => api.device('brittle'),
    ({ state }) => state === 'idle',
  );
  const say = (...args: string[]): Promise<string> => run(args, { SVC_URL: url, SVC_TOKEN: token });
  /** The stored calls of a function of `brittle`, oldest first, once the last is one of ann and all have ended. */
  const callsOf = (name: string): Promise<EffectRecord[]> =>
    eventually(
      async () =>
        (await api.all<EffectRecord>(`/api/effects?lab=${place}&device=brittle&function=${name}`)).reverse(),
      (calls) => calls.at(-1)?.person === 'ann' && calls.every(({ state }) => state !== 'running'),
    );
  return { api, commit, say, callsOf, by: auth === 'off' ? '?by=ann' : '' };
}

describe('the record of what moved', () => {
  it.each(['off', 'tokens'] as const)(
    'names task, person, arguments, result, code and commit of each call, with authentication %s',
    async (auth) => {
      const { api, commit, say, callsOf, by } = await startAudited(auth);
      const brittle = { brittle: { lab_name: place, name: 'brittle' } };
      await api.submit('tasks', {
        ...{ name: 'mover', type: 'misbehave', devices: brittle },
        input_parameters: { mode: 'long_step' },
      });
      await eventually(
        () => api.device('brittle'),
        ({ doing }) => doing?.function === 'step',
      );
      const running = await eventually(
        () => api.all<EffectRecord>('/api/effects?state=running'),
        (calls) => calls.length > 0,
      );
      expect(running[0]).toMatchObject({ task: 'mover', device: 'brittle', ended_at: null });

      // A task has the device: a person needs a reason, also with authentication off.
      const held = await api.rpc<{ code: string }>(place, 'brittle', 'step', { seconds: 0 });
      expect([held.status, held.body.code]).toEqual([409, 'device_in_use']);
      await api.call('POST', '/api/tasks/mover/cancel');
      await eventually(() => api.task('mover'), isOver);

      const step = `/api/rpc/${place}/brittle/step${by}`;
      expect((await api.call('POST', step, { seconds: 0.1 })).status).toBe(200);
      await api.call('POST', `/api/rpc/${place}/brittle/fail${by}`, { message: 'no grip' });

      const steps = await callsOf('step');
      expect(steps[0]).toMatchObject({ task: 'mover', person: null, computer: 'svc_computer' });
      const last = steps.at(-1);
      expect(last).toMatchObject({
        ...{ person: 'ann', task: null, attempt_id: null, arguments: { seconds: 0.1 }, state: 'completed' },
        ...{ error: null, result: { steps: expect.any(Number) as number } },
        ...{ package: 'faulty_lab', package_version: '1.0.0', package_commit: commit },
        package_modified: false,
      });
      const tookMs = Date.parse(last?.ended_at ?? '') - Date.parse(last?.began_at ?? '');
      expect(tookMs).toBeGreaterThanOrEqual(90);
      expect(Math.abs(last?.clock_offset_ms ?? Infinity)).toBeLessThan(1_000);
      const [failed] = await callsOf('fail');
      expect(failed).toMatchObject({ state: 'failed', error: { code: 'device_error' } });
      expect(failed?.error?.message).toContain('no grip');

      const now = new Date();
      const time = `${now.getHours()}:${String(now.getMinutes()).padStart(2, '0')}`;
      const said = await say('effects', '--device', `${place}.brittle`, '--around', time);
      expect(said).toMatch(/faulty_lab\.brittle +step \{"seconds":0\.1\} +ann +completed/);
      expect(said).toMatch(/faulty_lab\.brittle +step .* mover +/);
      const facts = await say('effects', last?.id ?? '');
      expect(facts).toMatch(/by +ann/);
      expect(facts).toMatch(new RegExp(`package +faulty_lab 1\\.0\\.0, commit ${commit}`));
      const code = await say('code', last?.code_hash ?? '');
      expect(code).toContain(`// faulty_lab 1.0.0, commit ${commit}, first loaded `);
      expect(code).toContain('the step was stopped half way');
      expect(await say('audit')).toContain(`device/${place}.brittle`);
    },
  );
});
