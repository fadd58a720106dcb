import { attentionClaimMs } from '@lab/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

let test: TestLab;
let id: string;

/** A laboratory with one question: what became of a task. */
beforeEach(async () => {
  test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm', true) } }]);
  await test.open();
  await test.run('r', 'p');
  await test.agents.end('r/a', { kind: 'unknown', detail: 'its process died' }, undefined);
  await test.clock.settle();
  id = [...test.store.rows.attention.keys()][0] ?? '';
});

const claim = (by: string, take_over = false) => test.engine.attention.claim({ id, by, take_over });
const release = (by: string) => test.engine.attention.release({ id, by });
const stored = () => test.store.rows.attention.get(id)?.claim;
const events = () =>
  test.store.events
    .filter(({ type }) => type.startsWith('attention.'))
    .map(({ type, body }) => [type, body['by'], (body['claim'] as { by: string } | null)?.by ?? null]);
const audited = () =>
  test.store.audit
    .filter(({ action }) => action.startsWith('attention.'))
    .map(({ by, action, subject, detail }) => ({ by, action, subject, detail }));
const iso = (at: number): string => new Date(at).toISOString();

describe('a claim', () => {
  it('is stored with its time, published and recorded', async () => {
    const now = test.clock.now();
    await claim('ada');
    expect(stored()).toEqual({ by: 'ada', since: now, until: now + attentionClaimMs });
    expect(events()).toEqual([
      ['attention.opened', null, null],
      ['attention.claimed', 'ada', 'ada'],
    ]);
    expect(audited()).toEqual([
      {
        ...{ by: 'ada', action: 'attention.claim', subject: `attention/${id}` },
        detail: { about: 'r/a', until: iso(now + attentionClaimMs) },
      },
    ]);
  });

  it('is renewed by its person, and says since when', async () => {
    const since = test.clock.now();
    await claim('ada');
    await test.live(60_000);
    await claim('ada');
    expect(stored()).toEqual({ by: 'ada', since, until: test.clock.now() + attentionClaimMs });
  });

  it('of another person is refused with their name and its end, unless it is taken over', async () => {
    await claim('ada');
    const until = iso(test.clock.now() + attentionClaimMs);
    await expect(claim('bo')).rejects.toMatchObject({
      code: 'wrong_state',
      message: `ada is deciding this attention item until ${until}; take the claim over, or decide without a claim`,
    });
    await test.live(1_000);
    await claim('bo', true);
    expect(stored()).toMatchObject({ by: 'bo', since: test.clock.now() });
    expect(audited().at(-1)).toMatchObject({ by: 'bo', detail: { taken_over_from: 'ada' } });
    await expect(release('ada')).rejects.toMatchObject({ code: 'wrong_state' });
    expect(stored()).toMatchObject({ by: 'bo' });
  });

  it('ends after its time without a word', async () => {
    await claim('ada');
    await test.live(attentionClaimMs);
    await claim('bo');
    expect(stored()).toMatchObject({ by: 'bo', since: test.clock.now() });
    expect(audited().at(-1)?.detail).not.toHaveProperty('taken_over_from');
  });

  it('ends with its release, which can be repeated', async () => {
    await claim('ada');
    await release('ada');
    expect(stored()).toBeNull();
    await release('ada');
    await release('bo');
    expect(events().slice(1)).toEqual([
      ['attention.claimed', 'ada', 'ada'],
      ['attention.released', 'ada', null],
    ]);
    expect(audited().map(({ action }) => action)).toEqual(['attention.claim', 'attention.release']);
  });

  it('survives a restart and a change of what is known', async () => {
    await claim('ada');
    await test.start();
    await test.agents.register('pc');
    await test.live(1_000);
    expect(stored()).toMatchObject({ by: 'ada' });
    await expect(claim('bo')).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('keeps nobody from deciding, and the audit names it', async () => {
    await claim('ada');
    await test.engine.attention.decide({ id, action: 'failed', by: 'bo' });
    expect(audited().at(-1)).toMatchObject({
      ...{ by: 'bo', action: 'attention.resolve', detail: { decision: 'failed', claimed_by: 'ada' } },
    });
    expect(events().at(-1)).toEqual(['attention.resolved', 'bo', null]);
    await expect(claim('ada')).rejects.toMatchObject({ code: 'not_found' });
    await expect(release('ada')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends with the decision of its person, of which the audit says nothing more', async () => {
    await claim('ada');
    await test.engine.attention.decide({ id, action: 'failed', by: 'ada' });
    expect(audited().at(-1)?.detail).not.toHaveProperty('claimed_by');
    expect(events().at(-1)).toEqual(['attention.resolved', 'ada', null]);
  });
});
