import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultsFor, readJoined } from '../../src/installation/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-joined-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (content: unknown): void =>
  writeFileSync(join(folder, 'joined.json'), typeof content === 'string' ? content : JSON.stringify(content));

describe('what a computer got when it joined', () => {
  it('is nothing before it joins', () => {
    expect(readJoined(folder)).toBeUndefined();
  });

  it('that cannot be read, or is too long to be it, is refused with what to do', () => {
    const path = join(folder, 'joined.json');
    mkdirSync(path);
    expect(() => readJoined(folder)).toThrow(`${path} cannot be read (EISDIR); let this user read it`);
    rmSync(path, { recursive: true });
    write(' '.repeat(300_000));
    expect(() => readJoined(folder)).toThrow('it is longer than 262144 characters; join the service again');
  });

  it('has its name and settings, with paths that begin at the data folder', () => {
    const env = {
      SVC_NATS_URL: 'nats://lab:4222',
      SVC_NATS_CREDENTIALS_FILE: 'keys/agent.creds',
      SVC_TLS_CA_FILE: '/etc/lab/ca.pem',
    };
    write({ version: 1, computer: 'bench_b', env });
    expect(readJoined(folder)).toEqual({
      computer: 'bench_b',
      env: { ...env, SVC_NATS_CREDENTIALS_FILE: join(folder, 'keys/agent.creds') },
    });
  });

  it('gives only what the environment does not give, directly or as a file', () => {
    const joined = {
      computer: 'bench_b',
      env: { SVC_NATS_URL: 'nats://a', SVC_NATS_CREDENTIALS_FILE: '/creds', SVC_LOG_LEVEL: 'debug' },
    };
    expect(defaultsFor({}, joined)).toEqual({ SVC_COMPUTER: 'bench_b', ...joined.env });
    expect(
      defaultsFor({ SVC_NATS_URL_FILE: '/url', SVC_LOG_LEVEL: '', SVC_COMPUTER: 'mine' }, joined),
    ).toEqual({
      SVC_NATS_CREDENTIALS_FILE: '/creds',
      SVC_LOG_LEVEL: 'debug',
    });
    expect(defaultsFor({ SVC_NATS_CREDENTIALS: 'text' }, joined)).not.toHaveProperty(
      'SVC_NATS_CREDENTIALS_FILE',
    );
  });

  it.each([
    ['no JSON', '{"version":1,"env":{"SVC_NATS_URL":"nats://u:secret@', 'it is not JSON'],
    ['a list', [], 'it is not an object'],
    ['another version', { version: 2 }, 'version is 2, and this agent reads version 1; use a newer agent'],
    ['no name', { version: 1, computer: '', env: {} }, 'computer is not a name'],
    ['no settings', { version: 1, computer: 'b', env: [] }, 'env is not an object'],
    [
      'a foreign variable',
      { version: 1, computer: 'b', env: { PATH: 'secret' } },
      'env has PATH, which is no setting',
    ],
    ['a data folder', { version: 1, computer: 'b', env: { SVC_DATA_DIR: '/x' } }, 'env has SVC_DATA_DIR'],
    ['a number', { version: 1, computer: 'b', env: { SVC_NATS_URL: 4 } }, 'env.SVC_NATS_URL is not a text'],
  ])('is refused with %s, and the error names the file and no value', (_, content, message) => {
    write(content);
    expect(() => readJoined(folder)).toThrow(`${join(folder, 'joined.json')}: ${message}`);
    expect(() => readJoined(folder)).not.toThrow('secret');
  });
});
