import { describe, expect, it } from 'vitest';
import type { Isolation } from '@lab/contracts';
import { ProcessPool, type Demand, type Lease } from '../../src/attempts/process-pool.js';
import type { AgentLimits } from '../../src/index.js';
import {
  MemoryLog,
  MemoryTaskProcesses,
  settle,
  VirtualTime,
  type SimulatedTask,
} from '../../src/testing/index.js';
import { defaultLimits } from '../../src/ports/index.js';

function make(
  limits: Partial<AgentLimits> = {},
  begin?: (process: SimulatedTask) => void,
): { pool: ProcessPool; time: VirtualTime; processes: MemoryTaskProcesses } {
  const time = new VirtualTime();
  const processes = new MemoryTaskProcesses({}, begin);
  const pool = new ProcessPool(
    { clock: time, timers: time, processes, log: new MemoryLog() },
    { ...defaultLimits, ...limits },
  );
  pool.open();
  return { pool, time, processes };
}

const node = (isolation: Isolation): Demand => ({ isolation, kind: { runtime: 'node' } });
const python = (isolation: Isolation): Demand => ({ isolation, kind: { runtime: 'python' } });

describe('the pool of task processes', () => {
  it('keeps warm processes and replaces each one that it gives out', async () => {
    const { pool, processes, time } = make({ poolSize: 2 });
    await settle();
    expect(pool.count('warm')).toBe(2);
    await pool.take(node('single_use'));
    await time.advance(20);
    expect(pool.count('warm')).toBe(2);
    expect(processes.started).toHaveLength(3);
  });

  it('gives a single-use task an unused process', async () => {
    const { pool } = make({ poolSize: 1 });
    const used = await pool.take(node('reusable'));
    used.release({ reuse: true });
    (used.process as SimulatedTask).say({ type: 'waiting' });
    await settle();
    const fresh = await pool.take(node('single_use'));
    expect(fresh.process).not.toBe(used.process);
    const again = await pool.take(node('reusable'));
    expect(again.process).toBe(used.process);
  });

  it('gives a task a used process only if that ran tasks of the same isolation', async () => {
    const { pool } = make({ poolSize: 0 });
    const used = await pool.take(node('thread'));
    used.release({ reuse: true });
    (used.process as SimulatedTask).say({ type: 'waiting' });
    await settle();
    expect((await pool.take(node('reusable'))).process).not.toBe(used.process);
    expect((await pool.take(node('thread'))).process).toBe(used.process);
  });

  it('starts no process for a task that can have one which gets warm again', async () => {
    const { pool, processes } = make({ poolSize: 0 });
    const used = await pool.take(node('thread'));
    used.release({ reuse: true });
    const next = pool.take(node('thread'));
    await settle();
    (used.process as SimulatedTask).say({ type: 'waiting' });
    expect((await next).process).toBe(used.process);
    expect(processes.started).toHaveLength(1);
  });

  it('takes back a process that reported itself as waiting before it was returned', async () => {
    const { pool, processes } = make({ poolSize: 1 });
    const lease = await pool.take(node('reusable'));
    (lease.process as SimulatedTask).say({ type: 'waiting' });
    await settle();
    lease.release({ reuse: true });
    expect((await pool.take(node('reusable'))).process).toBe(lease.process);
    expect(processes.started).toHaveLength(1);
  });

  it('ends a process that is not warm again in time', async () => {
    const { pool, time } = make({ poolSize: 0 });
    const lease = await pool.take(node('reusable'));
    lease.release({ reuse: true });
    await time.advance(2_000);
    expect((lease.process as SimulatedTask).signals).toEqual(['SIGKILL']);
    expect(pool.count()).toBe(0);
  });

  it('never exceeds its number of processes and serves waiting tasks in order', async () => {
    const { pool, processes, time } = make({ poolSize: 2, poolMax: 4 });
    const granted: number[] = [];
    const leases: Lease[] = [];
    for (let n = 0; n < 10; n += 1) {
      void pool.take(node('single_use')).then((lease) => {
        granted.push(n);
        leases.push(lease);
      });
    }
    while (granted.length < 10) {
      await time.advance(10);
      expect(processes.alive).toBeLessThanOrEqual(4);
      leases.shift()?.release({ reuse: false });
    }
    expect(granted).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each(['single_use', 'thread'] as const)(
    'makes room for a task with isolation %s by ending a process that idles after other tasks',
    async (isolation) => {
      const { pool, time } = make({ poolSize: 0, poolMax: 1 });
      const used = await pool.take(node('reusable'));
      (used.process as SimulatedTask).say({ type: 'waiting' });
      await settle();
      used.release({ reuse: true });
      const taken = pool.take(node(isolation));
      await time.advance(0);
      expect((await taken).process).not.toBe(used.process);
    },
  );

  it('gives a task a process of its runtime, and starts those of Python ahead once a task has needed one', async () => {
    const { pool, processes, time } = make({ poolSize: 1 });
    await time.advance(100);
    expect(processes.kinds.map(({ runtime }) => runtime)).toEqual(['node']);
    const { process } = await pool.take(python('single_use'));
    expect(processes.kinds.map(({ runtime }) => runtime)).toEqual(['node', 'python']);
    expect(process).toBe(processes.started[1]);
    await time.advance(100);
    expect(processes.kinds.map(({ runtime }) => runtime)).toEqual(['node', 'python', 'python']);
  });

  it('gives a task no used process of another runtime', async () => {
    const { pool } = make({ poolSize: 0 });
    const used = await pool.take(python('reusable'));
    used.release({ reuse: true });
    (used.process as SimulatedTask).say({ type: 'waiting' });
    await settle();
    expect((await pool.take(node('reusable'))).process).not.toBe(used.process);
    expect((await pool.take(python('reusable'))).process).toBe(used.process);
  });

  it('gives a task a process of its libraries, and starts those ahead that were needed last', async () => {
    const { pool, processes, time } = make({ poolSize: 1, poolMax: 20 });
    const locked = (environment: string): Demand => ({
      ...{ isolation: 'single_use', kind: { runtime: 'python', environment } },
    });
    const alive = (): (string | undefined)[] =>
      processes.kinds.flatMap(({ environment }, index) =>
        processes.started[index]?.alive === true ? [environment] : [],
      );
    for (const each of ['a', 'b', 'a', 'c']) (await pool.take(locked(each))).release({ reuse: false });
    await time.advance(1_000);
    expect(alive().sort()).toEqual(['a', 'b', 'c', undefined]);
    const lease = await pool.take(locked('d'));
    expect(processes.kinds[processes.started.indexOf(lease.process as SimulatedTask)]?.environment).toBe('d');
    await time.advance(1_000);
    expect(alive().sort()).toEqual(['a', 'c', 'd', 'd', undefined]);
  });

  it('makes room for a task of a runtime by ending a warm process of another one', async () => {
    const { pool, processes, time } = make({ poolSize: 2, poolMax: 2 });
    await settle();
    const taken = pool.take(python('single_use'));
    await time.advance(0);
    await taken;
    expect(processes.kinds.map(({ runtime }) => runtime)).toEqual(['node', 'node', 'python']);
    expect(processes.alive).toBe(2);
  });

  it('replaces a reusable process after its number of uses', async () => {
    const { pool } = make({ poolSize: 0, poolUses: 2 });
    const seen = new Set<unknown>();
    for (let n = 0; n < 4; n += 1) {
      const lease = await pool.take(node('reusable'));
      seen.add(lease.process);
      (lease.process as SimulatedTask).say({ type: 'waiting' });
      await settle();
      lease.release({ reuse: true });
      await settle();
    }
    expect(seen.size).toBe(2);
  });

  it('waits longer after each failed start of a process', async () => {
    const { time, processes, pool } = make({ poolSize: 1 }, (process) =>
      process.exit({ code: 1, signal: null, lastStderr: 'no node' }),
    );
    await time.advance(10_000);
    expect(processes.started.length).toBeLessThan(8);
    expect(processes.started.length).toBeGreaterThan(2);
    await pool.close();
  });

  it('reports the exit of a process that died before a listener was added', async () => {
    const { pool } = make({ poolSize: 1 });
    const lease = await pool.take(node('single_use'));
    (lease.process as SimulatedTask).exit({ code: 9, signal: null, lastStderr: null });
    await settle();
    const exit = await new Promise((resolve) => lease.listen({ message: () => undefined, exit: resolve }));
    expect(exit).toMatchObject({ code: 9 });
  });

  it('ends every process when it is closed and refuses waiting tasks', async () => {
    const { pool, processes } = make({ poolSize: 1, poolMax: 1 });
    await pool.take(node('single_use'));
    const waiting = expect(pool.take(node('single_use'))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await pool.close();
    await waiting;
    expect(processes.alive).toBe(0);
    await expect(pool.take(node('single_use'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('starts a process for a task that is debugged only when that task needs it', async () => {
    const { pool, processes, time } = make({ poolSize: 1 });
    await settle();
    const kind = { runtime: 'node', debugged: 'mix' } as const;
    const lease = await pool.take({ isolation: 'reusable', kind });
    await time.advance(1_000);
    expect(processes.kinds.filter(({ debugged }) => debugged === 'mix')).toHaveLength(1);
    lease.release({ reuse: false });
    await time.advance(1_000);
    expect(processes.kinds.filter(({ debugged }) => debugged === 'mix')).toHaveLength(1);
    // Others do not get it.
    expect((await pool.take(node('reusable'))).process).not.toBe(lease.process);
  });

  it('lets a process with a debugger start for as long as a person needs to attach it', async () => {
    const { pool, processes, time } = make({ poolSize: 0 }, () => undefined);
    const taken = pool.take({ isolation: 'single_use', kind: { runtime: 'node', debugged: 'mix' } });
    await time.advance(3_600_000);
    expect(processes.alive).toBe(1);
    processes.started[0]?.say({ type: 'waiting' });
    expect((await taken).process).toBe(processes.started[0]);
  });

  it('knows the version that a process has said', async () => {
    const { pool } = make({ poolSize: 1 }, (process) => process.say({ type: 'waiting', version: '22.4.0' }));
    const lease = await pool.take(node('single_use'));
    expect(lease.version).toBe('22.4.0');
  });
});
