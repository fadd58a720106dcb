import { describe, expect, it } from 'vitest';
import { claimOf } from '../src/index.js';

const now = Date.parse('2026-11-20T09:32:00Z');
const claim = { by: 'ada', since: '2026-11-20T09:30:00Z', until: '2026-11-20T09:40:00Z' };
const ada = { kind: 'token', name: 'ada' } as const;

describe('a claim', () => {
  it('is that of the person or of another', () => {
    const times = { since: now - 120_000, until: now + 480_000 };
    expect(claimOf({ claim }, ada, now)).toEqual({ by: 'ada', ...times, isMine: true });
    expect(claimOf({ claim }, { ...ada, name: 'bo' }, now)).toEqual({ by: 'ada', ...times, isMine: false });
  });

  it('ends at its time, also when the item is not read again', () => {
    expect(claimOf({ claim }, ada, now + 479_999)).toBeDefined();
    expect(claimOf({ claim }, ada, now + 480_000)).toBeUndefined();
    expect(claimOf({ claim: null }, ada, now)).toBeUndefined();
  });

  it('is of an unnamed person where authentication is off', () => {
    const local = { kind: 'local', name: 'local' } as const;
    const unnamed = { ...claim, by: 'unknown' };
    expect(claimOf({ claim: unnamed }, local, now)).toMatchObject({ by: undefined, isMine: true });
    expect(claimOf({ claim }, local, now)).toMatchObject({ by: 'ada', isMine: false });
  });
});
