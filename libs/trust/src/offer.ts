import type { KeyPair } from '@nats-io/nkeys';
import { z } from 'zod';
import { isSignedBy } from './nkeys.js';

/**
 * An offer says which packages of the agent a service has. It is signed with the key that admits agents: an agent knows the
 * public part of this key since it joined.
 */

const packageShape = z.object({
  /** Name of the archive. */
  name: z.string().regex(/^[\w.+-]{1,200}$/),
  version: z.string().regex(/^\d+\.\d+\.\d+[\w.+-]{0,80}$/),
  platform: z.string().regex(/^[\w-]{1,40}$/),
  /** Bytes of the archive. */
  size: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestShape = z.object({
  version: z.literal(1),
  made_at: z.iso.datetime(),
  packages: z.array(packageShape).max(1_000),
});

const signedShape = z.object({
  /** {@link Offer} as JSON, in base64url. */
  manifest: z.string().min(1),
  /** Ed25519 (RFC 8032), in base64url. */
  signature: z.string().min(1),
  /** The same with the other keys that are accepted while the key is being replaced. */
  others: z.array(z.string().min(1)).max(10).optional(),
});

export type OfferedPackage = z.infer<typeof packageShape>;
export type Offer = z.infer<typeof manifestShape>;
export type SignedOffer = z.infer<typeof signedShape>;

/** Milliseconds by which an offer may be older than one that was seen: the clocks of two gateways differ. */
export const offerToleranceMs = 120_000;

export function signOffer(
  packages: readonly OfferedPackage[],
  signers: readonly Pick<KeyPair, 'sign'>[],
  now: number,
): SignedOffer {
  const offer: Offer = {
    version: 1,
    made_at: new Date(now).toISOString(),
    packages: packages.map(({ name, version, platform, size, sha256 }) => ({
      ...{ name, version, platform, size, sha256 },
    })),
  };
  const manifest = Buffer.from(JSON.stringify(offer)).toString('base64url');
  const [signature = '', ...others] = signers.map((signer) =>
    Buffer.from(signer.sign(signedText(manifest))).toString('base64url'),
  );
  return { manifest, signature, ...(others.length === 0 ? {} : { others }) };
}

/** Why an offer is not believed. */
export class OfferFault extends Error {}

/**
 * @param answer of a gateway
 * @param issuer public key of the service that admitted the agent
 * @param seenAt when the newest offer was made that this agent has seen, in milliseconds since 1970
 * @throws OfferFault in one sentence
 */
export function readOffer(answer: unknown, issuer: string, seenAt: number): Offer {
  const signed = signedShape.safeParse(answer);
  if (!signed.success) throw new OfferFault('The answer is no offer of packages.');
  const { manifest, signature, others = [] } = signed.data;
  const isSigned = [signature, ...others].some((each) =>
    isSignedBy(issuer, signedText(manifest), Buffer.from(each, 'base64url'), 'account'),
  );
  if (!isSigned)
    throw new OfferFault(
      'The service that this computer joined has not signed this offer of packages. Somebody may be in between, or the service was set up anew: then join again.',
    );
  const offer = offerIn(manifest);
  if (Date.parse(offer.made_at) < seenAt - offerToleranceMs)
    throw new OfferFault(
      `This offer of packages was made at ${offer.made_at}, and this computer has seen a newer one of ${new Date(seenAt).toISOString()}. Somebody repeats an old offer, or the clock of the service is wrong.`,
    );
  return offer;
}

function offerIn(manifest: string): Offer {
  try {
    return manifestShape.parse(JSON.parse(Buffer.from(manifest, 'base64url').toString()));
  } catch (error) {
    throw new OfferFault('This agent cannot read the offer of packages; the service may be newer.', {
      cause: error,
    });
  }
}

/** No other text that is signed with the key begins like this. */
const signedText = (manifest: string): Uint8Array => Buffer.from(`svc agent packages ${manifest}`, 'ascii');
