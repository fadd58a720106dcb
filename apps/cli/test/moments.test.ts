import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/commands/exit-codes.js';
import { momentOf } from '../src/commands/moments.js';

const now = Date.parse('2026-11-23T12:00:00Z');

describe('a time on the command line', () => {
  it.each([
    ['30m', '2026-11-23T12:30:00.000Z'],
    ['2h', '2026-11-23T14:00:00.000Z'],
    ['3d', '2026-11-26T12:00:00.000Z'],
    ['2026-11-24T08:00:00Z', '2026-11-24T08:00:00.000Z'],
    ['2026-11-24T08:00+02:00', '2026-11-24T06:00:00.000Z'],
  ])('reads %s', (given, iso) => {
    expect(momentOf(given, now)).toBe(iso);
  });

  it('means the next time of day by the clock of this computer', () => {
    const at = new Date(now);
    const soon = new Date(momentOf(`${at.getHours()}:59`, now));
    expect([soon.getDate(), soon.getHours(), soon.getMinutes()]).toEqual([at.getDate(), at.getHours(), 59]);
    const tomorrow = momentOf(`${at.getHours()}:00`, now);
    expect(new Date(tomorrow).getDate()).toBe(new Date(now + 86_400_000).getDate());
  });

  it.each(['', 'tomorrow', '25:00', '2h30', '2026-11-24', '2026-13-40T08:00Z'])('refuses "%s"', (given) => {
    expect(() => momentOf(given, now)).toThrow(UsageError);
  });
});
