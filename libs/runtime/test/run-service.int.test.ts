import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { identify, startChild, type ChildOptions } from '@lab/runtime';
import { describe, expect, it } from 'vitest';

const service = fileURLToPath(new URL('./fixtures/service.mjs', import.meta.url));

async function start(behaviour: string, options: Partial<ChildOptions> = {}) {
  const lines: string[] = [];
  const child = await startChild({
    name: 'fixture',
    command: { module: service, args: [behaviour] },
    env: { PATH: process.env.PATH },
    ready: 'message',
    startTimeoutMs: 20_000,
    stopTimeoutMs: 10_000,
    onLine: (line, stream) => {
      if (stream === 'stderr') lines.push(line);
    },
    ...options,
  });
  return { child, lines };
}

describe('a service', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'reports that it is ready and ends in order with 0 on %s',
    async (signal) => {
      const { child, lines } = await start('well', { stopSignal: signal });
      expect(child.details).toEqual({ answer: 42 });
      expect(await child.stop()).toEqual({ code: 0, signal: null });
      expect(lines).toEqual(['second stopped', 'first stopped']);
    },
  );

  it('keeps garbage below twice what it holds', async () => {
    const { child } = await start('replace');
    const { live, most } = child.details as { live: number; most: number };
    await child.stop();
    expect(most / live).toBeGreaterThan(1.2);
    expect(most / live).toBeLessThan(2.5);
  });

  it('says in one sentence why it cannot start, stops its started parts, and ends with 1', async () => {
    const lines: string[] = [];
    const started = start('refuse', {
      onLine: (line, stream) => void (stream === 'stderr' && lines.push(line)),
    });
    await expect(started).rejects.toThrow(
      'fixture did not start: fixture cannot start: cannot reach nats://[secret]@h',
    );
    expect(lines).toEqual(['fixture cannot start: cannot reach nats://[secret]@h', 'first stopped']);
  });

  it('says in one sentence why it cannot go on, stops in order and ends with 1', async () => {
    const { child, lines } = await start('fail');
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(lines).toEqual(['fixture ends: nobody knows this computer', 'second stopped', 'first stopped']);
  });

  it('reports every fault of its configuration', async () => {
    const started = start('well', { env: { SVC_LOG_LEVEL: 'loud', SVC_DATA_DRI: 'x' } });
    await expect(started).rejects.toThrow(
      /2 faults:\n {2}SVC_DATA_DRI: .*SVC_DATA_DIR.*\n {2}SVC_LOG_LEVEL: must be one of/,
    );
  });

  it('ends in order with 1 after an uncaught error', async () => {
    const { child, lines } = await start('throw');
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(lines).toEqual(['second stopped', 'first stopped']);
  });

  it('ends with 1 when a part does not stop in time', async () => {
    const { child } = await start('stuck');
    expect(await child.stop()).toEqual({ code: 1, signal: null });
  });

  it('ends when its parent process ended before the service could listen', async () => {
    const child = fork(service, ['well'], { silent: true, execArgv: [] });
    child.disconnect();
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
  });

  it.runIf(process.platform === 'linux')('goes on when its output goes to a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const child = fork(service, ['well'], { stdio: ['ignore', full, 'ignore', 'ipc'], execArgv: [] });
    closeSync(full);
    const ended = once(child, 'exit');
    const said = await Promise.race([once(child, 'message'), ended]);
    expect(said[0]).toMatchObject({ type: 'ready' });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends when its parent process is killed', async () => {
    const script = `
      const { fork } = require('node:child_process');
      const child = fork(${JSON.stringify(service)}, ['well'], { detached: true, silent: true });
      child.on('message', () => console.log(child.pid));`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString().trim())));
    });
    expect(identify(pid)).toBeDefined();
    parent.kill('SIGKILL');
    await expect.poll(() => identify(pid), { timeout: 10_000 }).toBeUndefined();
  });
});
