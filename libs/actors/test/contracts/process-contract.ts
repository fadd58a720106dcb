import { afterEach, describe, expect, it } from 'vitest';
import type { Runtime } from '@lab/contracts';
import type { TaskProcess, TaskProcesses } from '../../src/index.js';

/** The guarantees of every source of task processes. */
export function taskProcessesContract(
  name: string,
  make: () => TaskProcesses,
  runtime: Runtime = 'node',
): void {
  describe(`task processes (${name})`, () => {
    const started: TaskProcess[] = [];
    afterEach(() => {
      for (const process of started.splice(0)) process.kill('SIGKILL');
    });

    /** A process with all its messages in order. */
    function start(): { process: TaskProcess; told: string[]; warm: Promise<void>; gone: Promise<void> } {
      const process = make().start({ runtime });
      started.push(process);
      const told: string[] = [];
      let warm: () => void;
      let gone: () => void;
      const isWarm = new Promise<void>((resolve) => (warm = resolve));
      const isGone = new Promise<void>((resolve) => (gone = resolve));
      process.onMessage((message) => {
        told.push(message.type);
        if (message.type === 'waiting') warm();
      });
      process.onExit((exit) => {
        told.push(`exit ${exit.signal ?? exit.code ?? 'never started'}`);
        gone();
      });
      return { process, told, warm: isWarm, gone: isGone };
    }

    it('report first that they wait', async () => {
      const { told, warm } = start();
      expect(told).toEqual([]);
      await warm;
      expect(told).toEqual(['waiting']);
    });

    it('report their exit once, after the last message', async () => {
      const { process, told, warm, gone } = start();
      await warm;
      process.kill('SIGKILL');
      process.kill('SIGKILL');
      await gone;
      expect(told).toEqual(['waiting', 'exit SIGKILL']);
    });

    it('drop messages after their end', async () => {
      const { process, told, warm, gone } = start();
      await warm;
      process.kill('SIGTERM');
      await gone;
      process.send({ type: 'abort', reason: 'too late' });
      process.kill('SIGKILL');
      expect(told.filter((line) => line.startsWith('exit'))).toHaveLength(1);
    });

    it('fail a task whose module is missing, with the reason', async () => {
      const { process, warm, gone } = start();
      await warm;
      const failed = new Promise<string>((resolve) =>
        process.onMessage((message) => {
          if (message.type === 'failed') resolve(message.error.message);
        }),
      );
      process.send({
        type: 'run',
        attempt_id: 'a',
        label: 'a',
        isolation: 'single_use',
        module: { hash: 'absent', package: 'test', source: 'task.ts' },
        path: '/nowhere/absent.mjs',
        devices: {},
        parameters: {},
        resources: {},
        spool: '/nowhere',
      });
      expect(await failed).not.toBe('');
      process.kill('SIGKILL');
      await gone;
    });
  });
}
