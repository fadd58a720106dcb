import { sign, verify } from 'node:crypto';
import { z } from 'zod';
import { privateCodeKey, publicCodeKey } from './code-key.js';

/**
 * The provenance of a build says from what its files were made: an in-toto statement, version 1, with the predicate SLSA
 * Provenance v1. Signed, it is a DSSE envelope, version 1.0.2.
 */

const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://slsa.dev/provenance/v1';
const payloadType = 'application/vnd.in-toto+json';

const statementShape = z.object({
  _type: z.literal(statementType),
  /** The files of the build. */
  subject: z
    .array(z.object({ name: z.string(), digest: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }) }))
    .min(1),
  predicateType: z.literal(predicateType),
  predicate: z.object({
    buildDefinition: z.object({
      buildType: z.string(),
      externalParameters: z.record(z.string(), z.unknown()),
      internalParameters: z.record(z.string(), z.unknown()).optional(),
      resolvedDependencies: z.array(
        z.object({
          uri: z.string(),
          digest: z.record(z.string(), z.string()),
          annotations: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
    runDetails: z.object({
      builder: z.object({ id: z.string() }),
      metadata: z
        .object({ invocationId: z.string(), startedOn: z.iso.datetime(), finishedOn: z.iso.datetime() })
        .partial(),
    }),
  }),
});

export type ProvenanceStatement = z.infer<typeof statementShape>;

const envelopeShape = z.object({
  payloadType: z.literal(payloadType),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string().optional(), sig: z.base64() })).min(1),
});

/** A statement about the files of a build. */
export const statementOf = (
  subject: ProvenanceStatement['subject'],
  predicate: ProvenanceStatement['predicate'],
): ProvenanceStatement => ({ _type: statementType, subject, predicateType, predicate });

/** What is signed of a payload (DSSE, pre-authentication encoding). */
const signedText = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);

/** @param pem a private code key @returns the envelope, one line of JSON @throws Error in one sentence when it is no key */
export function signStatement(statement: ProvenanceStatement, pem: string): string {
  const { key, publicKey } = privateCodeKey(pem);
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, signedText(payload), key).toString('base64');
  const signatures = [{ keyid: publicKey, sig }];
  return `${JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures })}\n`;
}

/**
 * Reads a provenance.
 *
 * @param text an envelope, or a statement that nobody signed
 * @param publicKey the code key that must have signed it; undefined: only a statement that nobody signed is read
 * @throws Error in one sentence: it is no provenance, the key has not signed it, or it is signed and there is no key
 */
export function readProvenance(text: string, publicKey: string | undefined): ProvenanceStatement {
  const content = jsonIn(text);
  const envelope = envelopeShape.safeParse(content);
  if (!envelope.success) {
    if (publicKey !== undefined) throw new Error('The provenance is not signed.');
    return statementIn(content);
  }
  if (publicKey === undefined)
    throw new Error('The provenance is signed: name the key that must have signed it.');
  const key = publicCodeKey(publicKey);
  const payload = Buffer.from(envelope.data.payload, 'base64');
  const isSigned = envelope.data.signatures.some(({ sig }) =>
    verify(null, signedText(payload), key, Buffer.from(sig, 'base64')),
  );
  if (!isSigned) throw new Error('The key has not signed the provenance.');
  return statementIn(jsonIn(payload.toString()));
}

function statementIn(content: unknown): ProvenanceStatement {
  const statement = statementShape.safeParse(content);
  if (!statement.success)
    throw new Error('The file is no provenance (in-toto statement with SLSA Provenance v1).');
  return statement.data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The file is no provenance: it is no JSON.');
  }
}
