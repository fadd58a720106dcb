import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Keyring } from '../../src/keys/index.js';
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
