import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { acceptedTexts, ringIn, textKey } from '@lab/trust/key-ring';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyState } from '../../src/keys/index.js';
import { startLaboratory, type Laboratory } from './laboratory.js';

let lab: Laboratory;
let receiver: Server;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  lab = await startLaboratory(`webhooks: { allow: [127.0.0.1], http: true, ports: [${portOf(receiver)}] }\n`);
}, 120_000);
afterAll(async () => {
  await lab?.close();
  receiver.close();
});

async function post(path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${lab.stack.url}/api/webhooks${path}`, {
    method: 'POST',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const ping = (id: string): Promise<Record<string, unknown>> => post(`/${id}/ping`);
const webhook = async (): Promise<string> =>
  String((await post('', { url: `http://127.0.0.1:${portOf(receiver)}/` }))['id']);

/** The secret of a webhook as the database has it. */
async function form(id: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: secret('database-gateway-url') });
  await client.connect();
  try {
    return (await client.query<{ secret: string }>('select secret from webhook where id = $1', [id])).rows[0]
      ?.secret;
  } finally {
    await client.end();
  }
}

const secret = (name: string): string =>
  readFileSync(join(lab.stack.dataDir, 'secrets', name), 'utf8').trim();
const stateOf = async (name: string): Promise<KeyState | undefined> =>
  (await lab.json<KeyState[]>('keys')).find((key) => key.name === name);

/** Uploads a file with a ticket that is signed with this secret. @returns the status of the answer */
async function upload(signing: string, content: string): Promise<number> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const grant = [`rotation/${sha256}`, content.length, sha256, Date.now() + 60_000];
  const payload = Buffer.from(JSON.stringify(grant)).toString('base64url');
  const signature = createHmac('sha256', signing).update('upload.1.').update(payload).digest('base64url');
  const { status } = await fetch(`${lab.stack.url}/api/uploads/${payload}.${signature}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: content,
  });
  return status;
}

/** A person acts, which a gateway signs and the leader verifies. */
async function act(): Promise<number> {
  const paused = await lab.svc('queue', 'pause');
  const resumed = await lab.svc('queue', 'resume');
  return paused.code + resumed.code;
}

describe('svc keys', () => {
  it('lists the keys without their content, and shows an unknown age as unknown', async () => {
    const { out, code } = await lab.svc('keys');
    expect(code).toBe(0);
    expect(out).toMatch(/^upload-secret +unknown +- +yes +tickets of files$/m);
    expect(out).toMatch(/^act-key +unknown +- +yes +acts of people/m);
    expect(out).toMatch(/^broker-keys +unknown +- +no +the broker \(operator and accounts\)$/m);
    for (const name of ['upload-secret', 'secrets-key', 'act-public-key'])
      expect(out).not.toContain(secret(name));
  });

  it('replaces the upload secret of a running service: tickets of both secrets work, then only new ones', async () => {
    const old = secret('upload-secret');
    expect(await upload(old, 'before')).toBeLessThan(300);
    const { out, code } = await lab.svc('keys', 'rotate', 'upload-secret', '--overlap', '1h');
    expect([code, out]).toEqual([0, expect.stringContaining('upload-secret is new.') as string]);
    expect(out).not.toContain(old);
    const [fresh, before] = acceptedTexts(() => secret('upload-secret'), 'secret')();
    expect([before, fresh === old]).toEqual([old, false]);
    expect(await upload(old, 'during, with the old secret')).toBeLessThan(300);
    expect(await upload(fresh, 'during, with the new secret')).toBeLessThan(300);
    const state = await stateOf('upload-secret');
    expect(Date.parse(state?.previous ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    expect(statSync(join(lab.stack.dataDir, 'secrets', 'upload-secret')).mode & 0o777).toBe(0o600);

    expect((await lab.svc('keys', 'rotate', 'upload-secret', '--now')).code).toBe(0);
    expect([await upload(old, 'after 1'), await upload(fresh, 'after 2')]).toEqual([403, 403]);
    expect(ringIn(secret('upload-secret'), 'secret', textKey)).toHaveLength(1);
    expect((await stateOf('upload-secret'))?.previous).toBeNull();
  });

  it('replaces the secrets key of a running service, and keeps the one before for what it has sealed', async () => {
    const old = secret('secrets-key');
    const first = await webhook();
    expect(await form(first)).toMatch(/^sealed:v1:/);
    expect((await lab.svc('keys', 'rotate', 'secrets-key')).out).toContain(
      'stays: it opens the stored values',
    );
    const second = await webhook();
    expect(await form(second)).toMatch(/^sealed:v2:/);
    // A message is signed with the secret of its webhook, so the gateway has opened both.
    for (const id of [first, second]) expect(await ping(id)).toMatchObject({ status: 204, error: null });
    expect((await stateOf('secrets-key'))?.previous).toBe('no end');
    expect(ringIn(secret('secrets-key'), 'secret', textKey).map(({ key }) => key)[1]).toBe(old);
    const refused = await lab.svc('keys', 'rotate', 'secrets-key', '--now');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('cannot end') as string]);
  });

  it('replaces the key for acts of people while people act', async () => {
    const old = secret('act-public-key');
    expect(await act()).toBe(0);
    expect((await lab.svc('keys', 'rotate', 'act-key')).code).toBe(0);
    expect(await act()).toBe(0);
    expect(secret('act-public-key')).toContain(old);
    expect((await lab.svc('keys', 'rotate', 'act-key', '--now')).code).toBe(0);
    expect(await act()).toBe(0);
    expect(secret('act-public-key')).not.toContain(old);
  });

  it('says what is wrong with what a person typed, and changes nothing', async () => {
    const before = secret('upload-secret');
    const refused = async (...args: string[]): Promise<[number, string]> => {
      const { code, err } = await lab.svc('keys', 'rotate', ...args);
      return [code, err];
    };
    for (const name of ['token', 'broker-keys'])
      expect(await refused(name)).toEqual([
        1,
        expect.stringContaining(
          'these are: upload-secret, secrets-key, act-key, agent-issuer, process-issuer, authority, ca.',
        ) as string,
      ]);
    expect(await refused('upload-secret', '--overlap', '0h')).toEqual([
      2,
      expect.stringContaining('is no overlap: write 30m, 24h or 3d') as string,
    ]);
    const given = await lab.typed(['keys', 'rotate', 'upload-secret'], {
      env: { SVC_UPLOAD_SECRET: 'x'.repeat(40) },
    });
    expect([given.code, given.err]).toEqual([
      1,
      expect.stringContaining('name the file in SVC_UPLOAD_SECRET_FILE') as string,
    ]);
    expect(given.err).not.toContain('xxxx');
    expect(secret('upload-secret')).toBe(before);
  });
});
