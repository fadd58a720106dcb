import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Authority, makeAuthorityKey } from '../src/authority.js';
import {
  codeKeyIn,
  codeKeyOf,
  CodeSigner,
  CodeVerifier,
  unverifiedManifest,
  whyNotIn,
  type CodeManifest,
} from '../src/code-manifest.js';
import { issueCredentials, makeKeys } from '../src/index.js';

const authority = makeAuthorityKey();
const service = CodeSigner.ofService(new Authority(authority));
const pump = {
  source: 'devices/pump/device.ts',
  sha256: 'a'.repeat(64),
  dependencies: ['serialport@12.0.0'],
};
const manifest: CodeManifest = {
  ...{ version: 1, package: 'my_lab', package_version: '1.2.0', lock: null },
  ...{ modules: [pump], made_at: '2026-03-01T10:00:00.000Z' },
};
const labKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('a code manifest', () => {
  it('is read with the key that signed it, and with no other', () => {
    const signed = service.sign(manifest);
    expect(new CodeVerifier(codeKeyOf(authority.x)).read(signed)).toEqual(manifest);
    const lab = CodeSigner.ofLab(labKey());
    expect(new CodeVerifier(lab.publicKey).read(signed)).toBeUndefined();
    expect(new CodeVerifier(lab.publicKey).read(lab.sign(manifest))).toEqual(manifest);
    expect(unverifiedManifest(signed)).toEqual(manifest);
  });

  it('is refused when anything in it was changed, again and again', () => {
    const [text = '', signature = ''] = service.sign(manifest).split('.');
    const changed = Buffer.from(text, 'base64url').toString().replace('aaa', 'bbb');
    const verifier = new CodeVerifier(service.publicKey);
    const forged = `${Buffer.from(changed).toString('base64url')}.${signature}`;
    for (const each of [forged, forged, text, `${text}.`, `.${signature}`, '', 'a.b.c'])
      expect([each, verifier.read(each)]).toEqual([each, undefined]);
  });

  it('is another text than a statement of the authority, although both have one key', () => {
    const statement = new Authority(authority).sign(manifest);
    expect(new CodeVerifier(service.publicKey).read(statement)).toBeUndefined();
  });

  it('is refused in a form that this release does not know', () => {
    const foreign = { ...manifest, modules: [{ ...pump, sha256: 'no hash' }] };
    expect(() => service.sign(foreign)).toThrow();
    expect(
      unverifiedManifest(Buffer.from(JSON.stringify({ ...manifest, version: 2 })).toString('base64url')),
    ).toBe(undefined);
  });
});

describe('a module is allowed only by a manifest that names', () => {
  const offered = { package: 'my_lab', ...pump };
  const b = 'b'.repeat(64);
  it('its package, source, hash and npm packages', () => {
    expect(whyNotIn(manifest, offered)).toBeUndefined();
  });
  it.each([
    [
      'another package',
      { package: 'other' },
      'other/devices/pump/device.ts: the manifest is that of the package my_lab',
    ],
    [
      'no such source',
      { source: 'tasks/fill/task.ts' },
      'my_lab/tasks/fill/task.ts is not in the signed manifest of my_lab 1.2.0',
    ],
    [
      'another hash',
      { sha256: b },
      `my_lab/devices/pump/device.ts was signed with the SHA-256 ${'a'.repeat(64)} in my_lab 1.2.0, and ${b} is offered`,
    ],
    [
      'other npm packages',
      { dependencies: [] },
      'my_lab/devices/pump/device.ts was signed with the npm packages serialport@12.0.0, and (none) are offered',
    ],
  ])('and not by one that names %s', (_, change, why) => {
    expect(whyNotIn(manifest, { ...offered, ...change })).toBe(why);
  });
});

it('damaged and foreign keys are refused in one sentence, without their text', () => {
  expect(() => CodeSigner.ofLab('SECRET')).toThrow('The file has no private key. "svc pkg key new FILE"');
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  expect(() => CodeSigner.ofLab(other.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
    'no Ed25519 key',
  );
  expect(() => new CodeVerifier('SECRET')).toThrow('svc_code_ and 43 characters are a code key.');
});

it('credentials of an agent have the public code key of the service, and others have none', async () => {
  const keys = makeKeys();
  expect(codeKeyIn(await issueCredentials(keys, 'agent', 'bench_b'))).toBe(codeKeyOf(keys.authority.x));
  expect(codeKeyIn(await issueCredentials(keys, 'gateway', 'g'))).toBeUndefined();
});
