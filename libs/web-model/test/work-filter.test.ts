import { expect, it } from 'vitest';
import { workFilterOf } from '../src/index.js';

it('the filter of a list of work is read from an address, without what has not its form', () => {
  expect(
    workFilterOf({
      kind: 'task',
      state: 'failed',
      owner: 'ada',
      text: 42,
      lab: '',
      archived: true,
      from: '2026-11-20',
      to: 'soon',
      more: 'x',
    }),
  ).toEqual({
    ...{ kind: 'task', state: 'failed', owner: 'ada', text: '42', archived: 'true', from: '2026-11-20' },
  });
  expect(workFilterOf({ kind: 'device', state: ['a'], archived: 'no', lab: {}, from: 20261120 })).toEqual({});
});
