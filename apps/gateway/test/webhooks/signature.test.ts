import { expect, it } from 'vitest';
import { newSecret, signedHeaders } from '../../src/webhooks/signature.js';

/** The example in the tests of the Standard Webhooks libraries. */
const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

it('the signature equals that of the published example', () => {
  const { secret, id, seconds, body, signature } = example;
  expect(signedHeaders([secret], id, seconds, body)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  });
});

it('the signature differs for another id, time, body or secret, and each secret adds one', () => {
  const { secret, id, seconds, body, signature } = example;
  const of = (...given: Parameters<typeof signedHeaders>): string =>
    signedHeaders(...given)['webhook-signature'] ?? '';
  const other = newSecret();
  for (const changed of [
    of([secret], 'msg_2', seconds, body),
    of([secret], id, seconds + 1, body),
    of([secret], id, seconds, `${body} `),
    of([other], id, seconds, body),
  ])
    expect(changed).not.toBe(signature);
  expect(of([other, secret], id, seconds, body)).toBe(`${of([other], id, seconds, body)} ${signature}`);
});

it('a secret consists of 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});
