import type { EffectRecord } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { expectProblem, sharedHarness } from '../twins.js';

const gateway = sharedHarness();

const effect = (id: string, more: Partial<EffectRecord> = {}): EffectRecord => ({
  ...{ id, lab: 'l', device: 'arm', computer: 'pc', function: 'move', kind: 'effect' },
  ...{ arguments: { to: '=1+1' }, state: 'completed', result: null, error: null, person: 'ann' },
  ...{ attempt_id: null, task: null, protocol_run: null, campaign: null },
  ...{
    began_at: '2026-11-23T14:02:00.000Z',
    ended_at: null,
    clock_offset_ms: 3,
    code_hash: null,
    runtime: null,
  },
  ...{ package: null, package_version: null, package_commit: null, package_modified: null },
  ...more,
});

describe('the calls of devices', () => {
  it('are listed by filters, and read by an id with a slash', async () => {
    gateway.records.effects.push(effect('a/1'), effect('a/2', { state: 'failed' }));
    const { body } = await gateway.send('GET', '/api/effects?state=failed');
    expect(body.items).toMatchObject([{ id: 'a/2' }]);
    expect((await gateway.send('GET', `/api/effects/${encodeURIComponent('a/1')}`)).body).toEqual(
      effect('a/1'),
    );
    expectProblem(await gateway.send('GET', '/api/effects/none'), 404, 'not_found');
  });

  it('are a table without formulas', async () => {
    gateway.records.effects.push(...Array.from({ length: 501 }, (_, n) => effect(`c${n}`)));
    const reply = await gateway.send('GET', '/api/effects.csv?device=arm');
    const lines = reply.text.trim().split('\r\n');
    expect(lines).toHaveLength(502);
    expect(lines[0]).toMatch(/^id,lab,device,computer,function,kind,arguments,state,result,error,person,/);
    expect(lines[1]).toContain('"{""to"":""=1+1""}"');
    expectProblem(await gateway.send('GET', '/api/effects.csv?since=yesterday'), 422, 'invalid');
  });
});
