import { describe, expect, it } from 'vitest';
import { deviceFunctionKey, effect, idempotent, query } from './device-function.js';

/** Applies a decorator as the class definition does. */
function apply(
  decorator: ReturnType<typeof effect>,
  method: (this: never, ...parameters: never[]) => unknown,
  context: { name: string | symbol; private?: boolean; static?: boolean } = { name: 'move' },
): unknown {
  decorator(
    method as (this: never, parameters: never) => unknown,
    { kind: 'method', private: false, static: false, ...context } as ClassMethodDecoratorContext,
  );
  return Object.getOwnPropertyDescriptor(method, deviceFunctionKey)?.value;
}

describe('the decorator of a device function', () => {
  it.each([
    ['effect', effect],
    ['idempotent', idempotent],
    ['query', query],
  ])('%s records its kind under a symbol that every copy of the SDK shares', (kind, decorator) => {
    expect(apply(decorator(), () => undefined)).toEqual({ kind });
    expect(deviceFunctionKey).toBe(Symbol.for('svc.device_function'));
  });

  it.each([0.5, 900, 604_800])('records a timeout of %d seconds', (timeout) => {
    expect(apply(effect({ timeout }), () => undefined)).toEqual({ kind: 'effect', timeout });
    expect(apply(idempotent({ timeout }), () => undefined)).toEqual({ kind: 'idempotent', timeout });
    expect(apply(query({ timeout }), () => undefined)).toEqual({ kind: 'query', timeout });
  });

  it.each([0, -1, Number.NaN, Infinity, 604_801, '900' as unknown as number])(
    'refuses a timeout of %s, and says what would be right',
    (timeout) => {
      expect(() => effect({ timeout })).toThrow(
        `@effect({ timeout: ${timeout} }): a timeout is a number of seconds, more than 0 and at most 604800`,
      );
    },
  );

  it.each([
    [{ name: '_secret' }],
    [{ name: 'hidden', private: true }],
    [{ name: 'shared', static: true }],
    [{ name: Symbol('s') }],
  ])('refuses a member that cannot be called from outside: %o', (context) => {
    expect(() => apply(effect(), () => undefined, context)).toThrow(/cannot stand on/);
  });

  it('refuses a method with more than one argument, and shows how to write it', () => {
    expect(() => apply(effect(), (_a: never, _b: never) => undefined)).toThrow(
      'move takes 2 arguments: a device function takes at most one, an object of named parameters, as in move({ first, second })',
    );
  });

  it('refuses a second declaration', () => {
    const method = (): undefined => undefined;
    apply(effect(), method);
    expect(() => apply(query(), method)).toThrow('move is declared twice');
  });
});
