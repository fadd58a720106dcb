import { describe, expect, it } from 'vitest';
import { createLog, type LogLevelName } from '../../src/log/log.js';
import { Secret } from '../../src/log/secret.js';

function logging(level: LogLevelName = 'info') {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>),
  };
  return { lines, log: createLog({ service: 'test', level, destination }) };
}

describe('the log', () => {
  it('writes one JSON object per line, with level, time, service and the fields', () => {
    const { log, lines } = logging();
    log.child({ run: 'r1' }).info('done', { tasks: 3 });
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        service: 'test',
        pid: process.pid,
        run: 'r1',
        tasks: 3,
        msg: 'done',
      },
    ]);
  });

  it('is silent below its level', () => {
    const { log, lines } = logging('warn');
    log.info('not this');
    log.warn('this');
    expect(lines.map(({ msg }) => msg)).toEqual(['this']);
    expect(log.enabled('info')).toBe(false);
  });

  it('conceals fields with secret names at any depth, Secrets, and credentials in addresses', () => {
    const { log, lines } = logging();
    log.info('connects to nats://u:pw1@h:1', {
      deep: { list: [{ dbPassword: 'pw2', api_key: 'pw3' }] },
      authorization: 'Bearer pw4',
      wrapped: new Secret('pw5'),
      url: 'postgresql://u:pw6@h/lab',
      upload_token: 'pw7',
      tokens: { computer: 'bench' },
    });
    const text = JSON.stringify(lines);
    expect(text).not.toMatch(/pw\d/);
    expect(text).toContain('"tokens":{"computer":"bench"}');
    expect(text).toContain('nats://[secret]@h:1');
  });

  it('writes errors completely with their causes', () => {
    const { log, lines } = logging();
    log.error('failed', { error: new Error('outer', { cause: new Error('to nats://u:pw@h') }) });
    expect(lines[0]?.error).toMatchObject({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { message: 'to nats://[secret]@h' },
    });
  });

  it('writes fields that contain themselves', () => {
    const { log, lines } = logging();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    log.info('round', { loop });
    expect(lines).toHaveLength(1);
  });
});
