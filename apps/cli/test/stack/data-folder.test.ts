import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAuthorityKey } from '@lab/trust/authority';
import { ringOf, ringText, rotated } from '@lab/trust/key-ring';
import { actKeyFiles, actKeysIn } from '../../src/stack/act-keys.js';
import { DataFolder } from '../../src/stack/data-folder.js';
import { readIfThere } from '../../src/stack/private-files.js';
import { claimablePort, freePort } from '../../src/stack/ports.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-data-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Uses a data folder as one stack does. */
function using<T>(work: (data: DataFolder) => T): T {
  const data = DataFolder.take(join(root, 'data'));
  try {
    return work(data);
  } finally {
    data.release();
  }
}

describe('the data folder', () => {
  it('belongs to one stack, and says which process has it', () => {
    using((data) => {
      expect(() => DataFolder.take(data.path)).toThrow(
        `Another stack (process ${process.pid}) uses the data folder ${data.path}; stop it, or choose another folder with SVC_DATA_DIR.`,
      );
      expect(existsSync(data.lockPath)).toBe(true);
    });
    expect(() => using((data) => data.path)).not.toThrow();
  });

  it('is refused in one sentence when it is a file', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => DataFolder.take(file)).toThrow(/^The data folder .*file cannot be used: /);
  });

  it('keeps a secret for good, which only its user can read', () => {
    const first = using((data) => data.keptSecret('upload').reveal());
    expect(first).toMatch(/^[\w-]{43}$/);
    using((data) => {
      expect(data.keptSecret('upload').reveal()).toBe(first);
      expect(statSync(data.secretPath('upload')).mode & 0o777).toBe(0o600);
      expect(statSync(join(data.path, 'secrets')).mode & 0o777).toBe(0o700);
      data.forget('upload');
      expect(readIfThere(data.secretPath('upload'))).toBeUndefined();
      expect(data.keptSecret('upload').reveal()).not.toBe(first);
    });
  });
});

describe('the keys for acts of people', () => {
  it('stay the same, and the public one does not contain the private one', () => {
    const read = ({ actKey, actPublicKey }: ReturnType<typeof actKeyFiles>): string[] =>
      [actKey, actPublicKey].map((path) => readFileSync(path, 'utf8'));
    const [key = '', publicKey = ''] = using((data) => read(actKeyFiles(data, undefined)));
    expect(using((data) => read(actKeyFiles(data, undefined)))).toEqual([key, publicKey]);
    const { d, x } = JSON.parse(key) as { d: string; x: string };
    expect([publicKey.trim(), publicKey.includes(d)]).toEqual([x, false]);
    rmSync(join(root, 'data', 'secrets', 'act-key'));
    expect(using((data) => read(actKeyFiles(data, new Secret(key))))).toEqual([key, publicKey]);
  });

  it('stay a ring after a rotation, with the times and without the private parts in the public file', () => {
    const keys = rotated(ringOf(makeAuthorityKey()), makeAuthorityKey(), Date.now(), {
      overlapMs: 3_600_000,
    });
    const { actKey, actPublicKey } = using((data) => {
      data.writeSecret('act-key', new Secret(ringText(keys).trim()));
      return actKeyFiles(data, undefined);
    });
    expect(actKeysIn(readFileSync(actKey, 'utf8'))).toEqual(keys);
    const shown = readFileSync(actPublicKey, 'utf8');
    expect((JSON.parse(shown) as { keys: unknown }).keys).toEqual(
      keys.map(({ key: { x }, ...times }) => ({ key: x, ...times })),
    );
    for (const { key } of keys) expect(shown).not.toContain(key.d);
  });

  it.each(['no key', '{"d":1}'])('are refused without being shown when they are damaged: %s', (text) => {
    const damaged = (): unknown => using((data) => actKeyFiles(data, new Secret(text)));
    expect(damaged).toThrow('The key for acts of people is damaged; correct SVC_ACT_KEY');
    expect(damaged).not.toThrow(text);
  });
});

describe('a port', () => {
  it('that another program has is named with advice, and another one is taken where any will do', async () => {
    const server = createServer();
    await new Promise<void>((resolve) =>
      server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve),
    );
    const { port } = server.address() as AddressInfo;
    try {
      await expect(claimablePort('127.0.0.1', port, 'choose another')).rejects.toThrow(
        `Port ${port} of 127.0.0.1 is in use by another program; choose another.`,
      );
      expect(await freePort(port)).not.toBe(port);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await claimablePort('127.0.0.1', 0, 'choose another')).toBeGreaterThan(0);
    await expect(claimablePort('192.0.2.1', 0, 'name another address')).rejects.toThrow(
      '192.0.2.1 cannot be listened on (EADDRNOTAVAIL); name another address.',
    );
  });
});
