import { expect, it } from 'vitest';
import { ActCheck, ActSigner } from '../src/acts.js';
import { makeAuthorityKey } from '../src/authority.js';

const key = makeAuthorityKey();
const signer = (now = 1_000_000): ActSigner => new ActSigner(JSON.stringify(key), () => now);
const check = (now = 1_000_000): ActCheck => new ActCheck(key.x, () => now);

const body = { name: 'mix_1', by: 'ada', parameters: { 'ä "1"': [0.1, -0, null, 1e21], absent: undefined } };
const request = { kind: 'queue.pause', id: 'm-1', body };
const sign = (more: { by?: string | null; epoch?: number; now?: number } = {}): string =>
  signer(more.now).sign({ ...request, by: more.by === undefined ? 'ada' : more.by, epoch: more.epoch ?? 4 });
/** As the receiver reads it. */
const sent = (act: string | undefined, more: object = {}) =>
  JSON.parse(JSON.stringify({ ...request, act, ...more })) as typeof request & { act?: string };
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'forbidden', message: expect.stringMatching(message) as string });
const demand =
  (act: string | undefined, more: object = {}, checking = check()) =>
  () =>
    checking.demand(sent(act, more), 4);

it('an act that a gateway has signed passes', () => {
  expect(demand(sign())).not.toThrow();
  expect(demand(sign({ by: null }))).not.toThrow();
});

it('an act passes once', () => {
  const checking = check();
  demand(sign(), {}, checking)();
  expect(demand(sign(), {}, checking)).toThrow(refused(/sent before/));
});

it('an act without a signature, or with one of another key, is refused', () => {
  const other = new ActSigner(JSON.stringify(makeAuthorityKey()), () => 1_000_000);
  const signatures = [undefined, '', 'x.y', other.sign({ ...request, by: 'ada', epoch: 4 })];
  for (const signature of signatures) expect(demand(signature)).toThrow(refused(/no gateway has signed it/));
});

it('a signature is for one message, one request and one body', () => {
  for (const more of [{ id: 'm-2' }, { kind: 'queue.resume' }, { body: { ...body, name: 'mix_2' } }])
    expect(demand(sign(), more)).toThrow(refused(/for another request/));
});

it('the person in the body is the one who has asked the gateway', () => {
  expect(demand(sign({ by: 'eve' }))).toThrow(refused(/signed it for eve, and not for ada/));
});

it('a signature is valid for a minute, and tells of clocks that differ', () => {
  for (const now of [1_000_000 - 60_001, 1_000_000 + 60_001])
    expect(demand(sign(), {}, check(now))).toThrow(refused(/set the clocks/));
  for (const now of [1_000_000 - 60_000, 1_000_000 + 60_000])
    expect(demand(sign(), {}, check(now))).not.toThrow();
});

it('a signature for another leader does nothing, so that the gateway may ask again', () => {
  const another = expect.objectContaining({ code: 'service_unavailable', effect: 'none' }) as object;
  expect(demand(sign({ epoch: 3 }))).toThrow(another);
  expect(demand(sign({ epoch: 5 }))).toThrow(another);
  expect(demand(sign({ epoch: 0 }))).not.toThrow();
});

it('forgets acts that have expired', () => {
  let now = 0;
  const checking = new ActCheck(key.x, () => now);
  for (const id of ['a', 'b']) {
    const act = signer(now).sign({ ...request, id, by: 'ada', epoch: 4 });
    demand(act, { id }, checking)();
    expect(demand(act, { id }, checking)).toThrow(refused(/sent before/));
    now += 120_001;
    expect(demand(act, { id }, checking)).toThrow(refused(/set the clocks/));
  }
});

it('a damaged key is told without its text', () => {
  expect(() => new ActSigner('SECRET', () => 0)).toThrow(
    /^The key for acts of people \(SVC_ACT_KEY\) is damaged\.$/,
  );
  expect(() => new ActCheck('nonsense', () => 0)).toThrow(/SVC_ACT_PUBLIC_KEY\) is damaged\.$/);
});
