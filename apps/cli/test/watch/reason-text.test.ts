import { expect, it } from 'vitest';
import { reasonText } from '../../src/watch/reason-text.js';

it.each([
  [null, ''],
  [{ message: 'the cup broke' }, ': the cup broke'],
  [{ message: 'boom', stack: 'Error: boom' }, ': boom'],
  [
    {
      message: 'boom',
      stack:
        'Error: boom\n    at new Fill (demo/tasks/fill/task.ts:6:11)\n    at demo/tasks/fill/more.ts:1:1\ncaused by Error: x',
    },
    ': boom (demo/tasks/fill/task.ts:6:11)',
  ],
  [
    { message: 'boom', stack: 'Error: boom\n    at demo/tasks/fill/task.ts:2:7' },
    ': boom (demo/tasks/fill/task.ts:2:7)',
  ],
])('a reason names the place of the error in the code of the author: %j', (reason, text) => {
  expect(reasonText({ reason })).toBe(text);
});
