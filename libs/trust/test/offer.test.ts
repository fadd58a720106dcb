import { decode } from '@nats-io/jwt';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentIssuer, agentIssuerKey } from '../src/agent-issuer.js';
import { makeAgentKey } from '../src/agent-key.js';
import { makeKeys } from '../src/index.js';
import { keyPairOf } from '../src/nkeys.js';
import { offerToleranceMs, readOffer, signOffer, type OfferedPackage } from '../src/offer.js';

const now = Date.parse('2026-03-01T10:00:00.000Z');
const keys = makeKeys();
const service = new AgentIssuer(agentIssuerKey(keys));
const linux: OfferedPackage = {
  ...{ name: 'svc-agent-0.2.0-linux-x64.tar.gz', version: '0.2.0', platform: 'linux-x64' },
  ...{ size: 46_000_000, sha256: 'ab'.repeat(32) },
};
/** What an agent that joined knows of the service. */
let issuer: string;

beforeAll(async () => {
  issuer = decode(await service.statement(makeAgentKey().publicKey, 'bench_b', now + 1_000)).iss;
});

const changed = (manifest: string, change: (offer: { packages: OfferedPackage[] }) => void): string => {
  const offer = JSON.parse(Buffer.from(manifest, 'base64url').toString()) as { packages: OfferedPackage[] };
  change(offer);
  return Buffer.from(JSON.stringify(offer)).toString('base64url');
};

describe('an offer of packages', () => {
  it('is believed with the key that signed the statement of the agent', () => {
    const offered = service.offer([{ ...linux, url: 'not part of it' } as OfferedPackage], now);
    expect(readOffer(offered, issuer, 0)).toEqual({
      ...{ version: 1, made_at: '2026-03-01T10:00:00.000Z', packages: [linux] },
    });
  });

  it.each([
    ['another service', () => new AgentIssuer(agentIssuerKey(makeKeys())).offer([linux], now)],
    ['the service with another key', () => signOffer([linux], [keyPairOf(keys.roles.gateway)], now)],
    [
      'somebody who changed a hash',
      () => {
        const { manifest, signature } = service.offer([linux], now);
        return {
          signature,
          manifest: changed(manifest, ({ packages: [first] }) => {
            if (first !== undefined) first.sha256 = 'cd'.repeat(32);
          }),
        };
      },
    ],
    [
      'somebody who cut the signature',
      () => ({ ...service.offer([linux], now), signature: service.offer([linux], now).signature.slice(2) }),
    ],
  ])('of %s is refused', (_what, offered) => {
    expect(() => readOffer(offered(), issuer, 0)).toThrow('has not signed this offer of packages');
  });

  it('is refused when it is older than one that was seen, beyond the difference of two clocks', () => {
    const offered = service.offer([linux], now);
    expect(readOffer(offered, issuer, now + offerToleranceMs)).toMatchObject({ version: 1 });
    expect(() => readOffer(offered, issuer, now + offerToleranceMs + 1)).toThrow(
      'Somebody repeats an old offer',
    );
  });

  it.each([[undefined], [{ manifest: 'e30' }], [{ manifest: '', signature: 'AA' }], ['text']])(
    'is not %j',
    (answer) => {
      expect(() => readOffer(answer, issuer, 0)).toThrow('The answer is no offer of packages.');
    },
  );

  it.each([
    ['a path in place of a name', { name: '../../svc-agent-0.2.0-linux-x64.tar.gz' }],
    ['a path in place of a version', { version: '0.2.0/../..' }],
    ['a size that is no number', { size: '12' as never }],
  ])('of the service with %s is refused', (_what, wrong) => {
    const offered = service.offer([{ ...linux, ...wrong }], now);
    expect(() => readOffer(offered, issuer, 0)).toThrow('This agent cannot read the offer of packages');
  });
});
