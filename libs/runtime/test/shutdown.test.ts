import { describe, expect, it } from 'vitest';
import type { LogFields } from '../src/log/log.js';
import { Shutdown } from '../src/shutdown.js';

function collected() {
  const lines: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

describe('an orderly shutdown', () => {
  it('stops parts in the reverse order of the start, one after the other', async () => {
    const shutdown = new Shutdown(collected());
    const order: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      shutdown.add(name, async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      });
    }
    expect(await shutdown.run('test')).toBe(true);
    expect(order.filter((line) => line.endsWith('ends'))).toEqual([
      'third ends',
      'second ends',
      'first ends',
    ]);
    expect(order[0]).toBe('third begins');
    expect(order[1]).toBe('third ends');
  });

  it('continues after a part that fails, and names the part', async () => {
    const log = collected();
    const shutdown = new Shutdown(log);
    let stopped = false;
    shutdown.add('good', () => {
      stopped = true;
    });
    shutdown.add('bad', () => {
      throw new Error('no');
    });
    expect(await shutdown.run('test')).toBe(false);
    expect(stopped).toBe(true);
    expect(log.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({ part: 'bad' });
  });

  it('abandons a part at its deadline', async () => {
    const log = collected();
    const shutdown = new Shutdown(log);
    let stopped = false;
    shutdown.add('good', () => {
      stopped = true;
    });
    shutdown.add('stuck', () => new Promise(() => undefined), { deadlineMs: 20 });
    expect(await shutdown.run('test')).toBe(false);
    expect(stopped).toBe(true);
    expect(log.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({ part: 'stuck' });
  });

  it('runs once, however often it is requested', async () => {
    const shutdown = new Shutdown(collected());
    let times = 0;
    shutdown.add('part', () => {
      times += 1;
    });
    await Promise.all([shutdown.run('a'), shutdown.run('b')]);
    await shutdown.run('c');
    expect(times).toBe(1);
  });

  it('stops at once a part that is added after it began, and waits for it', async () => {
    const shutdown = new Shutdown(collected());
    shutdown.add('part', () => undefined);
    const run = shutdown.run('test');
    let stopped = false;
    shutdown.add('late', async () => {
      await Promise.resolve();
      stopped = true;
    });
    await run;
    await shutdown.run('again');
    expect(stopped).toBe(true);
  });

  it('aborts its signal when it begins', () => {
    const shutdown = new Shutdown(collected());
    expect(shutdown.signal.aborted).toBe(false);
    void shutdown.run('the reason');
    expect(String(shutdown.signal.reason)).toContain('the reason');
  });
});
