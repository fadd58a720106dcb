import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineConfig, FileSecret, Secret, setting, settings } from '../../src/index.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-secret-'));
  path = join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a rotation does. */
function replace(text: string): void {
  writeFileSync(`${path}.draft`, text);
  renameSync(`${path}.draft`, path);
}

it('is read again when its file is replaced, also by a text of the same length', () => {
  replace('one\n');
  const secret = new FileSecret(path, 'one');
  expect(secret.reveal()).toBe('one');
  replace('two\n');
  expect(secret.reveal()).toBe('two');
  expect([String(secret), JSON.stringify(secret)]).toEqual(['[secret]', '"[secret]"']);
});

it('stays what it was while its file is absent or empty', () => {
  replace('one');
  const secret = new FileSecret(path, 'one');
  rmSync(path);
  expect(secret.reveal()).toBe('one');
  writeFileSync(path, '');
  expect(secret.reveal()).toBe('one');
  replace('two');
  expect(secret.reveal()).toBe('two');
});

it('is what the configuration gives for a replaceable setting in a file, and for no other', () => {
  const first = 'x'.repeat(32);
  replace(first);
  const fixed = setting({
    env: 'SVC_TOKEN',
    secret: true,
    schema: z.string().transform((text) => new Secret(text)),
  });
  const { uploadSecret, other } = defineConfig({ uploadSecret: settings.uploadSecret, other: fixed }).load({
    env: { SVC_UPLOAD_SECRET_FILE: path, SVC_TOKEN_FILE: path },
    cwd: folder,
  });
  replace('y'.repeat(32));
  expect([uploadSecret.reveal(), other.reveal()]).toEqual(['y'.repeat(32), first]);
  const given = defineConfig({ uploadSecret: settings.uploadSecret });
  expect(given.load({ env: { SVC_UPLOAD_SECRET: first }, cwd: folder }).uploadSecret).not.toBeInstanceOf(
    FileSecret,
  );
});
