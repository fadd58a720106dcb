import { hostname } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { HealthReport, Problem } from '@lab/contracts';
import { eventually, isOver, type Answer } from '../api.js';
import { lab, type Plant } from './plant.js';

/** Most records for which a full disk of the database may still have room. */
const mostKept = 100;
/** Most files of 16 MiB that the database keeps for its log of changes: twice its `max_wal_size`. */
const mostLogFiles = 32;
/** More, in MiB, than the database can make free by removing files. */
const largeFile = 160;

/** What is true while a disk is really full, and after it has room again. */
export function disks(plant: () => Plant): void {
  const health = (path = '/health/ready'): Promise<Answer<HealthReport>> => plant().api.call('GET', path);
  const carry = (
    name: string,
    arm: string,
    seconds = 0,
    log_size = 0,
  ): Promise<Answer<Problem & { name: string }>> =>
    plant().api.submit('tasks', {
      ...{ name, type: 'carry', devices: { arm: { lab_name: lab, name: arm } } },
      input_parameters: { seconds, to: name, log_size },
    });
  const completed = async (name: string): Promise<void> => {
    const task = await eventually(() => plant().api.task(name), isOver);
    expect([task.name, task.state, task.reason]).toEqual([name, 'completed', null]);
  };

  afterEach(() => Promise.all([plant().benchDisk.empty(), plant().centralDisk.empty()]));

  describe('an agent whose disk is full', () => {
    it('begins nothing, is named with its disk, and goes on by itself when there is room', async () => {
      const { api, benchDisk: disk } = plant();
      const moving = api.rpc(lab, 'far_arm', 'move', { seconds: 4, to: 'before' });
      await eventually(
        () => api.device('far_arm'),
        ({ doing }) => doing?.function === 'move',
      );
      const full = performance.now();
      await disk.fill();
      const words = /computer bench_c: .*the disk of computer bench_c is full/;
      await eventually(
        () => health(),
        ({ status, body }) => status === 200 && words.test(body.parts.agents.detail ?? ''),
      );
      plant().measured('the health names the disk of the agent', performance.now() - full);
      expect(performance.now() - full).toBeLessThan(5_000);
      expect((await health()).body.parts.agents.status).toBe('degraded');
      const [item] = await eventually(
        () => api.attention(),
        (items) => items.length > 0,
      );
      expect(item).toMatchObject({
        kind: 'agent',
        computer: 'bench_c',
        reason: { code: 'ledger_unwritable' },
      });
      expect(JSON.stringify(item)).toMatch(words);

      expect((await moving).status).toBe(200);
      const refused = await api.rpc<Problem>(lab, 'far_arm', 'move', { seconds: 0, to: 'never' });
      expect([refused.status, refused.body.effect]).toEqual([503, 'none']);
      expect(refused.body.detail).toContain('the disk of computer bench_c is full');
      expect((await carry('waits', 'far_arm')).status).toBe(201);
      await carry('elsewhere', 'near_arm');
      await completed('elsewhere');
      expect((await api.task('waits')).state).toBe('queued');

      const room = performance.now();
      await disk.empty();
      await completed('waits');
      plant().measured('the agent goes on after there is room', performance.now() - room);
      expect(performance.now() - room).toBeLessThan(10_000);
      await eventually(
        () => api.attention(),
        (items) => items.length === 0,
      );
      const places = ['before', 'never', 'waits'];
      expect(await Promise.all(places.map((to) => plant().moves('far_arm', to)))).toEqual([1, 0, 1]);
    });
  });

  describe('a service whose disk is full', () => {
    /** Waits for 503 with the disk in words. */
    const fullDisk = async (since: number): Promise<void> => {
      const words = new RegExp(`the disk of (the database on )?computer ${hostname()} is full`);
      for (const path of ['/health/ready', '/api/health'])
        await eventually(
          () => health(path),
          ({ status, body }) => status === 503 && words.test(body.parts.database.detail ?? ''),
        );
      plant().measured('the health names the disk of the database', performance.now() - since);
    };
    const ready = (): Promise<unknown> =>
      eventually(
        () => health(),
        ({ status }) => status === 200,
        60_000,
      );

    it('says so, keeps what it accepted, starts its processes again, and serves when there is room', async () => {
      const { api, centralDisk: disk } = plant();
      expect((await carry('runs', 'far_arm', 6)).status).toBe(201);
      expect((await carry('runs_here', 'near_arm', 12, largeFile)).status).toBe(201);
      for (const arm of ['near_arm', 'far_arm']) {
        await eventually(
          () => api.device(arm),
          ({ doing }) => doing?.function === 'move',
        );
        expect((await carry(`queued_${arm}`, arm)).status).toBe(201);
      }
      const full = performance.now();
      await disk.fill();
      await fullDisk(full);
      expect(performance.now() - full).toBeLessThan(10_000);
      // A record may still fit into the files that the database has, and is kept then.
      const kept: string[] = [];
      const next = (): string => `late_${kept.length + 1}`;
      let refused = await carry(next(), 'near_arm');
      for (; refused.status === 201 && kept.length < mostKept; refused = await carry(next(), 'near_arm'))
        kept.push(next());
      expect([refused.status, refused.body.effect]).toEqual([503, 'none']);
      expect(refused.body.detail).toContain('is full (53100)');

      // The task of this computer ends while its disk is full.
      expect(await plant().moves('near_arm', 'runs_here')).toBe(1);
      await eventually(
        () => api.device('near_arm'),
        ({ doing }) => doing?.function !== 'move',
      );
      // A gateway that ends now is started again, although neither its output nor the list of processes can be written.
      process.kill(plant().pidOf('/apps/gateway/dist/'), 'SIGKILL');
      await eventually(
        () => health().catch(() => undefined),
        (answer) => answer?.status === 503,
        60_000,
      );

      const room = performance.now();
      await disk.empty();
      await ready();
      plant().measured('the service is ready after there is room', performance.now() - room);
      expect(performance.now() - room).toBeLessThan(5_000);
      for (const name of ['runs', 'queued_near_arm', 'queued_far_arm', ...kept]) await completed(name);
      // Its file did not fit on the disk of its own computer. The record says so.
      const { state, reason } = await eventually(() => api.task('runs_here'), isOver);
      expect([state, reason?.code]).toEqual(['failed', 'file_error']);
      expect(reason?.message).toContain('ENOSPC');
      expect((await api.task('runs')).output_files).toHaveLength(1);
      expect((await api.call('GET', `/api/tasks/${next()}`)).status).toBe(404);
      const moves = [
        ...['runs', 'queued_far_arm'].map((to) => plant().moves('far_arm', to)),
        ...['runs_here', 'queued_near_arm', ...kept, next()].map((to) => plant().moves('near_arm', to)),
      ];
      expect(await Promise.all(moves)).toEqual([1, 1, 1, 1, ...kept.map(() => 1), 0]);
    });

    it('survives a database that ends because its log of changes finds no room', async () => {
      const { api, centralDisk: disk } = plant();
      expect((await carry('kept', 'far_arm', 6)).status).toBe(201);
      await eventually(
        () => api.device('far_arm'),
        ({ doing }) => doing?.function === 'move',
      );
      // Else a checkpoint, which needs no room, gives the server its old files again, and it never needs a new one.
      await plant().sql('alter system set wal_recycle = off');
      await plant().sql('select pg_reload_conf()');
      await disk.fill();
      const checkpointer = plant().pidOf('postgres: checkpointer');
      // A checkpoint may fail, and the server goes on. It ends when it needs a new file for its log.
      await plant()
        .sql('checkpoint')
        .catch(() => undefined);
      // The checkpoint may have removed files.
      await disk.fill();
      await fullDisk(performance.now());
      expect(plant().pidOf('postgres: checkpointer')).toBe(checkpointer);
      const ended = performance.now();
      // The server keeps files for its log from before. It needs a new one only after they are used up.
      const refusals: string[] = [];
      for (let n = 0; n < mostLogFiles && plant().runs(checkpointer); n += 1) {
        await plant()
          .sql(`select pg_logical_emit_message(false, 'test', 'test'), pg_switch_wal()`)
          .catch((error: unknown) => refusals.push(String(error)));
        await disk.fill();
      }
      expect(plant().runs(checkpointer), refusals.join('\n')).toBe(false);
      // The server starts again by itself if its recovery fits into the files that the end of the first one freed.
      await eventually(
        () => health(),
        ({ body }) =>
          /is full .*does not answer/.test(body.parts.database.detail ?? '') ||
          plant()
            .pids('postgres: checkpointer')
            .some((pid) => pid !== checkpointer),
      ).catch(async (error: unknown) => {
        // A server that is still about to end has given room back, and says so instead.
        const { detail = '' } = (await health()).body.parts.database;
        if (!detail.includes('57P03')) throw error;
      });
      plant().measured('the health names the disk of a database that ended', performance.now() - ended);

      const room = performance.now();
      await disk.empty();
      await ready();
      plant().measured('the service is ready after the database starts again', performance.now() - room);
      await plant().sql('alter system reset wal_recycle');
      await plant().sql('select pg_reload_conf()');
      expect(performance.now() - room).toBeLessThan(45_000);
      await completed('kept');
      expect(await plant().moves('far_arm', 'kept')).toBe(1);
      const log = await plant().central.run(
        'cat',
        join(plant().folder, 'central', 'logs', 'orchestrator.log'),
      );
      // A line that did not fit is lost as a whole.
      for (const line of log.trimEnd().split('\n')) expect(line).toMatch(/^\{.*\}$/);
    });
  });
}
