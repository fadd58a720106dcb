import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { privateCodeKey } from '../src/code-key.js';
import { readProvenance, signStatement, statementOf } from '../src/provenance.js';

const newKey = (): { pem: string; publicKey: string } => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, publicKey: privateCodeKey(pem).publicKey };
};
const { pem, publicKey } = newKey();

const statement = statementOf([{ name: 'svc.tgz', digest: { sha256: 'a'.repeat(64) } }], {
  buildDefinition: {
    ...{ buildType: 'urn:test', externalParameters: { target: 'agent:package' } },
    resolvedDependencies: [{ uri: 'git+file:.', digest: { gitCommit: 'b'.repeat(40) } }],
  },
  runDetails: { builder: { id: 'urn:test' }, metadata: {} },
});

/** The signed envelope with other fields. */
const changed = (more: object): string =>
  JSON.stringify({ ...(JSON.parse(signStatement(statement, pem)) as object), ...more });
const payloadOf = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64');

describe('a provenance', () => {
  it('is read with the key that signed it', () => {
    expect(readProvenance(signStatement(statement, pem), publicKey)).toEqual(statement);
  });

  it('is signed as DSSE says', () => {
    const { payload, payloadType, signatures } = JSON.parse(signStatement(statement, pem)) as {
      payload: string;
      payloadType: string;
      signatures: { sig: string }[];
    };
    const body = Buffer.from(payload, 'base64').toString();
    const text = `DSSEv1 28 ${payloadType} ${body.length} ${body}`;
    expect(signatures[0]?.sig).toBe(sign(null, Buffer.from(text), pem).toString('base64'));
  });

  it.each([
    ['another key', () => signStatement(statement, newKey().pem), 'The key has not signed the provenance.'],
    [
      'another content',
      () => changed({ payload: payloadOf({ ...statement, subject: [] }) }),
      'The key has not signed the provenance.',
    ],
    ['no signature', () => changed({ signatures: [] }), 'The provenance is not signed.'],
    ['no envelope', () => JSON.stringify(statement), 'The provenance is not signed.'],
    ['no JSON', () => 'svc.tgz', 'The file is no provenance: it is no JSON.'],
  ])('with %s is refused', (_, text, message) => {
    expect(() => readProvenance(text(), publicKey)).toThrow(message);
  });

  it('that is signed but says something else is refused', () => {
    const other = { ...statement, predicateType: 'https://example.org/other' };
    const text = signStatement(other as unknown as typeof statement, pem);
    expect(() => readProvenance(text, publicKey)).toThrow('The file is no provenance');
  });

  it('that nobody signed is read only without a key, and a signed one only with it', () => {
    expect(readProvenance(JSON.stringify(statement), undefined)).toEqual(statement);
    expect(() => readProvenance(signStatement(statement, pem), undefined)).toThrow('name the key');
  });
});
