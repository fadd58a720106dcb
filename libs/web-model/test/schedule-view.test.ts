import { describe, expect, it } from 'vitest';
import { scheduleViewOf } from '../src/index.js';

describe('the view of the schedule in an address', () => {
  it('has the rows, the time and the chain', () => {
    expect(scheduleViewOf({ rows: 'run', minutes: 1_440, chain: true, run: 'mix_1' })).toEqual({
      ...{ rows: 'run', minutes: 1_440, chain: true, run: 'mix_1' },
    });
  });

  it('has a run whose name is a number', () => {
    expect(scheduleViewOf({ run: 7 })).toEqual({ run: '7' });
  });

  it.each([
    {},
    { rows: 'owner' },
    { minutes: 7 },
    { chain: 'maybe' },
    { run: '' },
    { run: null },
    { run: {} },
  ])('leaves out what is not of the right form: %j', (search) => {
    expect(scheduleViewOf(search)).toEqual({});
  });
});
