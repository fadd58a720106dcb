import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeys, type Keys } from '@lab/trust';
import { AgentIssuer } from '@lab/trust/agent-issuer';
import { Authority, AuthorityCheck, authorityKeysIn } from '@lab/trust/authority';
import { readAuthorities } from '@lab/trust/authority-list';
import { ringText } from '@lab/trust/key-ring';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Keyring } from '../../src/keys/index.js';
import { BrokerAccess } from '../../src/stack/broker-access.js';
import { OwnAuthority } from '../../src/stack/own-authority.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyring-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the age of the certificate authority is that in its certificate, and unknown when it is damaged', async () => {
  const keyring = new Keyring(folder, {});
  expect(await keyring.list()).toEqual([]);
  await OwnAuthority.kept(folder);
  const [state, ...others] = await keyring.list();
  expect([state?.name, state?.rotates, others]).toEqual(['ca', true, []]);
  // The certificate is valid from an hour before it was made.
  expect(Math.abs(Date.now() - Date.parse(state?.since ?? '') - 3_600_000)).toBeLessThan(60_000);
  writeFileSync(join(folder, 'ca.pem'), 'damaged');
  expect((await keyring.list()).map(({ since }) => since)).toEqual([null]);
});

it('a key that is not there yet is not rotated, and the error says who makes it', async () => {
  await expect(new Keyring(folder, {}).rotate('act-key', { overlapMs: 0 })).rejects.toThrow(
    /There is no .*act-key: "svc start" makes the key/,
  );
});

describe('the keys of the broker', () => {
  const hour = 3_600_000;
  const path = (name: string): string => join(folder, 'secrets', name);
  const read = (name: string): string => readFileSync(path(name), 'utf8');
  const keys = (): Keys => readKeys(read('broker-keys'));
  const stateOf = async (name: string) =>
    (await new Keyring(folder, {}).list()).find((key) => key.name === name);
  let access: BrokerAccess;
  beforeEach(async () => {
    access = await BrokerAccess.kept(folder);
    access.authorityKey();
    await access.agentIssuer();
    await access.credentials('gateway', 'gateway');
    await access.credentials('agent', 'svc_computer');
  });

  it('for processes sign new credentials at once, and those of agents stay', async () => {
    const [gateway, agent] = [
      read('nats-credentials-gateway-gateway'),
      read('nats-credentials-agent-svc_computer'),
    ];
    await new Keyring(folder, {}).rotate('process-issuer', { overlapMs: hour });
    expect(read('nats-credentials-gateway-gateway')).not.toBe(gateway);
    expect(read('nats-credentials-agent-svc_computer')).toBe(agent);
    expect(await stateOf('process-issuer')).toMatchObject({ next: null, previous: expect.any(String) });
    await new Keyring(folder, {}).rotate('process-issuer', { overlapMs: 0 });
    expect(keys().processes).toHaveLength(1);
    expect(await stateOf('process-issuer')).toMatchObject({ previous: null });
    expect((await stateOf('agent-issuer'))?.since).toBeNull();
  });

  it('for what agents believe sign after half of the overlap, and every file of the data folder has both', async () => {
    const before = keys().authority;
    const said = await new Keyring(folder, {}).rotate('authority', { overlapMs: 24 * hour });
    expect(said[0]).toMatch(
      /^authority is new, and signs from .*Z on\. The key before is believed until .*Z\.$/,
    );
    const state = await stateOf('authority');
    expect(Date.parse(state?.previous ?? '') - Date.parse(state?.next ?? '')).toBe(12 * hour);
    const [fresh] = authorityKeysIn(read('nats-credentials-agent-svc_computer')).slice(-1);
    expect([fresh?.x, Authority.from(read('authority-key')).publicKey]).toEqual([
      keys().authority.x,
      before.x,
    ]);
    expect(new AgentIssuer(read('agent-issuer')).links).toHaveLength(2);
    // What the next start makes of the keys is the same.
    const next = BrokerAccess.present(folder);
    expect(readFileSync(next?.authorityKey() ?? '', 'utf8')).toBe(ringText(keys().authorities?.keys ?? []));
    await expect(new Keyring(folder, {}).rotate('authority', { overlapMs: hour })).rejects.toThrow(
      'Give --overlap 24h or more',
    );
  });

  it('sign the list of certificate authorities anew, so that it can be read with the new key alone', async () => {
    await OwnAuthority.kept(folder);
    await new Keyring(folder, {}).rotate('ca', { overlapMs: 0 });
    const list = () => readAuthorities(read('../ca-list').trim(), new AuthorityCheck(keys().authority.x));
    const before = list();
    await new Keyring(folder, {}).rotate('authority', { overlapMs: 0 });
    expect(list()?.authorities).toEqual(before?.authorities);
    expect(Date.parse(list()?.made_at ?? '')).toBeGreaterThan(Date.parse(before?.made_at ?? ''));
  });
});

it('a file that the configuration names is rotated, and not that of the data folder', async () => {
  const file = join(folder, 'upload');
  writeFileSync(file, 'u'.repeat(40));
  const keyring = new Keyring(folder, { SVC_UPLOAD_SECRET_FILE: file });
  const now = Date.now();
  await keyring.rotate('upload-secret', { overlapMs: 60_000 }, now);
  const state = async (at: number) => (await keyring.list(at)).find(({ name }) => name === 'upload-secret');
  expect((await state(now))?.previous).toBe(new Date(now + 60_000).toISOString());
  expect(await state(now + 60_000)).toMatchObject({ previous: null, since: new Date(now).toISOString() });
});
