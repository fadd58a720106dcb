import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isOver, type Api } from './api.js';
import { startLab } from './lab.js';
import { svc } from './svc.js';

/** What docs/guide/backup.md promises: after a mishap, the service as it was at a moment. */

const mishapAfterMs = 10_000;

let root = '';
/** Ends what a failed test left. */
let clean: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-restored-'));
});
afterAll(async () => {
  for (const each of clean) await each();
  await rm(root, { recursive: true, force: true });
});

/** Submits one small task after the other until it is ended. @returns the names that were accepted before a moment */
function keepSubmitting(api: Api): { end(): Promise<void>; acceptedBefore(moment: number): string[] } {
  const accepted: { name: string; at: number }[] = [];
  let ended = false;
  const running = (async () => {
    for (let n = 1; !ended; n += 1) {
      const name = `load_${n}`;
      const body = { name, type: 'write_file', input_parameters: { text: name, kilobytes: 1 } };
      if ((await api.submit('tasks', body)).status === 201) accepted.push({ name, at: Date.now() });
      await delay(200);
    }
  })();
  return {
    async end() {
      ended = true;
      await running;
    },
    acceptedBefore: (moment) => accepted.filter(({ at }) => at < moment).map(({ name }) => name),
  };
}

describe('svc backup', () => {
  it('restores the service to 10 s before a campaign was deleted, under load, and the service goes on', async () => {
    const [vault, dataDir, key] = ['vault', 'data', 'key.txt'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([vault, dataDir].map((folder) => mkdir(folder)));
    const { out: recipient } = await svc({}, 'backup', 'key', '--out', key);
    const config = join(root, 'config.yml');
    await writeFile(
      config,
      `backup: { to: ${vault}, recipient: ${recipient.trim()} }\nretention: { undo_hours: 0 }\n`,
    );
    const options = { dataDir, env: { SVC_CONFIG: config } };
    const first = await startLab(['multiplication_lab'], options);
    clean = [() => first.stack.stop()];
    await eventually(
      () => svc({}, 'backup', 'list', vault),
      ({ code }) => code === 0,
    );

    const factors = { first: { number: 2, factor: 3 }, second: { factor: 4 } };
    const campaign = { name: 'precious', protocol: 'optimize_multiplication', max_protocol_runs: 2 };
    expect((await first.api.submit('campaigns', { ...campaign, global_parameters: factors })).status).toBe(
      201,
    );
    const precious = async (api: Api): Promise<unknown> => [
      (await api.call('GET', '/api/campaigns/precious')).body,
      await api.all('/api/protocols?campaign=precious'),
      await api.all('/api/tasks?campaign=precious'),
    ];
    const load = keepSubmitting(first.api);
    clean.unshift(() => load.end());
    await eventually(
      () => first.api.all<{ name: string }>('/api/tasks?state=completed'),
      (tasks) => tasks.filter(({ name }) => name.startsWith('load_')).length > 5,
    );
    const device = { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } };
    const waiting = (name: string, seconds: number) =>
      first.api.submit('tasks', { name, type: 'wait', devices: device, input_parameters: { seconds } });
    expect(await eventually(() => first.api.campaign('precious'), isOver, 120_000)).toMatchObject({
      state: 'completed',
    });
    const campaignBefore = await precious(first.api);
    // An attempt that failed may still upload a file for 20 minutes, so the deletion below would wait.
    const attempts = await first.api.all<{ state: string }>('/api/attempts');
    expect(
      attempts.filter(({ state }) => ['failed', 'cancelled', 'needs_attention'].includes(state)),
    ).toEqual([]);
    await waiting('runs', 4);
    await eventually(
      () => first.api.task('runs'),
      ({ state }) => state === 'running',
    );
    await waiting('queued', 0);
    // Before the moment: a task that ends after it is over in a later list and not in the restored service.
    const before = await first.api.all<{ id: string; state: string }>('/api/tasks');
    await delay(100);
    const moment = new Date();
    await delay(mishapAfterMs);
    // Somebody deletes the wrong work.
    for (const work of ['campaigns/precious', 'tasks/load_1'])
      expect(
        (await first.api.patiently('POST', `/api/${work}/delete`, { reason: 'a mistake', by: 'eve' })).status,
      ).toBe(200);
    expect(
      await eventually(
        () => first.api.all('/api/deletions?state=done'),
        ({ length }) => length === 2,
      ),
    ).toHaveLength(2);
    expect((await first.api.call('GET', '/api/campaigns/precious')).status).toBe(404);
    await load.end();
    expect(await eventually(() => first.api.task('queued'), isOver)).toMatchObject({ state: 'completed' });
    expect(await first.stack.stop()).toBe(0);

    await rename(dataDir, `${dataDir}-before`);
    const to = ['--to', moment.toISOString()];
    const restored = await svc({}, 'backup', 'restore', vault, '--key', key, ...to, '--data-dir', dataDir);
    expect(restored, restored.err).toMatchObject({ code: 0 });
    await rename(join(`${dataDir}-before`, 'agents'), join(dataDir, 'agents'));
    const second = await startLab(['multiplication_lab'], { ...options, idle: false });
    try {
      const { api } = second;
      const found = await api.all<{ id: string; name: string }>('/api/tasks');
      const [names, tasks] = [
        new Set(found.map(({ name }) => name)),
        new Map(found.map((each) => [each.id, each])),
      ];
      // Nothing that was acknowledged before the moment is missing, and what had ended is as it was.
      const acknowledged = load.acceptedBefore(moment.getTime());
      expect(acknowledged.length).toBeGreaterThan(5);
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
      const ended = before.filter(isOver);
      expect(ended.length).toBeGreaterThan(5);
      for (const task of ended) expect(tasks.get(task.id)).toEqual(task);

      expect(await precious(api)).toEqual(campaignBefore);

      // The agent has forgotten the tasks that ran, because their results were recorded. Only a person can know them.
      const questions = await eventually(
        () => api.attention(),
        (items) => items.some(({ task }) => task === 'runs'),
      );
      expect(new Set(questions.map(({ reason }) => reason.code))).toEqual(
        new Set(['restored', 'attempt_lost']),
      );
      expect((await api.task('queued')).state).toBe('queued');
      for (const { id, task } of questions.filter(({ kind }) => kind === 'task')) {
        const decision = { action: 'completed', output_parameters: { waited: 4 } } as const;
        const answer = await api.resolve(id, {
          ...(task === 'runs' ? decision : { action: 'retry' }),
          by: 'ada',
        });
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      }
      await api.call('POST', '/api/queue/resume', { by: 'ada' });
      expect(await eventually(() => api.task('queued'), isOver)).toMatchObject({ state: 'completed' });
      expect(
        await eventually(
          () => api.attention(),
          ({ length }) => length === 0,
        ),
      ).toEqual([]);
      for (const name of acknowledged)
        expect(await eventually(() => api.task(name), isOver)).toMatchObject({ name, state: 'completed' });
      const text = await api.call<string>('GET', `/api/tasks/${acknowledged[0]}/files/notes.txt`);
      expect(text.body).toContain(acknowledged[0]);
      expect(
        (await api.submit('tasks', { name: 'new', type: 'write_file', input_parameters: { text: 'new' } }))
          .status,
      ).toBe(201);
      expect(await eventually(() => api.task('new'), isOver)).toMatchObject({ state: 'completed' });
    } finally {
      await second.stack.dispose();
    }
  });
});
