import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/hosts/author-error.js';

const module = { package: 'my_lab' };

function withStack(message: string, ...frames: string[]): Error {
  const error = new Error(message);
  error.stack = [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

describe('describeError', () => {
  it('keeps only the frames of the package', () => {
    const error = withStack(
      'no',
      'Mix.dose (package:///my_lab/devices/mixer/device.ts:12:3)',
      'package:///my_lab/devices/mixer/my%20file.ts:1:2',
      'call (package:///my_lab/node_modules/serial/index.js:5:1)',
      'effect (package:///libs/sdk/src/index.ts:5:1)',
      'other (package:///my_lab_2/tasks/a.ts:5:1)',
      'node:internal/process/task_queues:95:5',
      'async answer (file:///somewhere/dist/hosts/device-host.js:3:4)',
    );
    expect(describeError(error, module)).toEqual({
      message: 'no',
      stack: [
        'Error: no',
        '    at Mix.dose (my_lab/devices/mixer/device.ts:12:3)',
        '    at my_lab/devices/mixer/my file.ts:1:2',
      ].join('\n'),
    });
  });

  it('shows causes', () => {
    const error = new Error('outer', { cause: withStack('inner', 'f (package:///my_lab/a.ts:1:1)') });
    expect(describeError(error, module).stack).toBe(
      'Error: outer\ncaused by Error: inner\n    at f (my_lab/a.ts:1:1)',
    );
  });

  it('ends a circular chain of causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(describeError(error, module).stack?.split('caused by')).toHaveLength(5);
  });

  it.each([
    ['text', 'text'],
    [undefined, 'threw undefined, which is not an Error'],
    [{ a: 1 }, 'threw { a: 1 }, which is not an Error'],
    [new TypeError(''), 'TypeError without a message'],
  ])('describes %o', (thrown, message) => {
    expect(describeError(thrown, module).message).toBe(message);
  });

  it('never throws, whatever the error does when it is read', () => {
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'stack', {
      get() {
        throw new Error('not readable');
      },
    });
    Object.defineProperty(hostile, 'message', {
      get() {
        throw new Error('not readable');
      },
    });
    expect(describeError(hostile, module).message).toContain('cannot be shown');
  });

  it('shortens a very long message', () => {
    expect(describeError(new Error('x'.repeat(100_000)), module).message.length).toBeLessThan(10_000);
  });
});
