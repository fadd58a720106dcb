import { NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, ServiceError, type ErrorCode } from '@lab/contracts';
import { asServiceError, problemOf } from '../../src/http/problem.js';

const context = { instance: '/api/tasks', acting: true, requestId: 'r-1' };

describe('a problem', () => {
  it.each(Object.keys(errorCatalogue) as ErrorCode[])(
    'of %s has the status and title of the catalogue',
    (code) => {
      const problem = problemOf(new ServiceError(code, 'what happened'), context);
      expect(problem).toMatchObject({
        code,
        status: errorCatalogue[code].status,
        title: errorCatalogue[code].title,
      });
    },
  );

  it('of a defect shows nothing of its cause', () => {
    const error = asServiceError(new TypeError('cannot read secret of undefined'));
    const text = JSON.stringify(problemOf(error, context));
    expect(text).not.toMatch(/secret|TypeError|cannot read/);
    expect(text).toContain('r-1');
    expect(error.effect).toBe('maybe');
  });

  it("carries the effect, every fault, and the stack of the author's code", () => {
    const faults = [{ path: 'a', code: 'x', message: 'm', hint: 'h' }];
    const error = new ServiceError('device_error', 'boom', {
      effect: 'maybe',
      faults,
      authorStack: 'color_lab/x.ts:1:1',
    });
    expect(problemOf(error, context)).toMatchObject({
      effect: 'maybe',
      errors: faults,
      author_stack: 'color_lab/x.ts:1:1',
    });
  });

  it('of a read does not mention effects', () => {
    expect(problemOf(new ServiceError('not_found', 'x'), { ...context, acting: false })).not.toHaveProperty(
      'effect',
    );
  });

  it.each([
    [new NotFoundException('Cannot GET /x'), 'not_found'],
    [new PayloadTooLargeException(), 'payload_too_large'],
    [Object.assign(new Error('bad'), { statusCode: 400 }), 'bad_request'],
    [Object.assign(new Error('teapot'), { statusCode: 418 }), 'bad_request'],
    [Object.assign(new Error('broken'), { statusCode: 500 }), 'internal'],
    ['a string', 'internal'],
    [undefined, 'internal'],
  ])('is found for %s', (thrown, code) => expect(asServiceError(thrown).code).toBe(code));
});
