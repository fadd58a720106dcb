import { describe, expect, it } from 'vitest';
import {
  deviceFunctionKey,
  effect,
  idempotent,
  query,
  type DeviceFunctionOptions,
} from '../../src/author/device-function.js';

/** Applies a decorator as the class definition does. */
function apply(
  decorator: ReturnType<typeof effect<undefined>>,
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

  it('records that a function runs beside an effect, which only an idempotent one may', () => {
    expect(apply(idempotent({ beside: true }), () => undefined)).toEqual({
      kind: 'idempotent',
      beside: true,
    });
    expect(apply(idempotent({ beside: false }), () => undefined)).toEqual({ kind: 'idempotent' });
    expect(() => effect({ beside: true })).toThrow('only an idempotent function can run beside an effect');
    expect(() => query({ beside: true })).toThrow('a query always does');
  });

  it.each([0, -1, Number.NaN, Infinity, 604_801, '900' as unknown as number])(
    'refuses a timeout of %s and names a valid one',
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

  it('refuses a method with more than one argument and shows a correct one', () => {
    expect(() => apply(effect(), (_a: never, _b: never) => undefined)).toThrow(
      'move takes 2 arguments: a device function takes at most one, an object of named parameters, as in move({ first, second })',
    );
  });

  it('refuses a second declaration', () => {
    const method = (): undefined => undefined;
    apply(effect(), method);
    expect(() => apply(query(), method)).toThrow('move is declared twice');
  });

  it.each(['str', 'bool', 'dict'] as const)('records that a parameter of type %s is secret', (type) => {
    const parameters = { code: { type, secret: true } };
    const unlock = (): undefined => undefined;
    expect(apply(effect({ parameters }) as unknown as ReturnType<typeof effect<undefined>>, unlock)).toEqual({
      kind: 'effect',
      parameters,
    });
  });

  it('records the descriptions of the function and its parameters', () => {
    const said = {
      description: 'Doses',
      parameters: { volume: { type: 'float', unit: 'ml', min: 0 }, fast: { type: 'bool', value: false } },
    } as const;
    const dose = function (_: { volume: number; fast?: boolean }): void {
      return;
    };
    expect(apply(effect(said) as unknown as ReturnType<typeof effect<undefined>>, dose)).toEqual({
      kind: 'effect',
      ...said,
    });
  });

  it.each<[unknown, string]>([
    [5, 'parameters must be an object of declarations by name'],
    [{ 'a b': { type: 'str' } }, 'parameters.a b: that is no parameter name'],
    [{ a: 'float' }, 'parameters.a must be an object with a type'],
    [
      { a: { type: 'number' } },
      'parameters.a.type is number: it is one of int, float, str, bool, dict, choice, list',
    ],
    [{ a: { type: 'float' } }, 'parameters.a.unit must be a unit; n/a when it has none'],
    [{ a: { type: 'str', unit: 'ml' } }, 'parameters.a.unit means nothing for type str'],
    [{ a: { type: 'int', unit: 'n/a', min: 0.5 } }, 'parameters.a.min is 0.5: it must be an integer'],
    [{ a: { type: 'float', unit: 'ml', min: 2, max: 1 } }, 'parameters.a.min is 2, above the maximum 1'],
    [{ a: { type: 'int', unit: 'n/a', value: 1.5 } }, 'parameters.a.value is 1.5: it must be of type int'],
    [
      { a: { type: 'float', unit: 'ml', max: 1, value: 2 } },
      'parameters.a.value is 2: it must be of type float and within',
    ],
    [
      { a: { type: 'bool', value: false, optional: true } },
      'parameters.a has a default, so it is optional anyway',
    ],
    [{ a: { type: 'str', secret: 'yes' } }, 'parameters.a.secret must be true or false'],
    [{ a: { type: 'choice', choices: [] } }, 'parameters.a.choices must be a list of at least one value'],
    [
      { a: { type: 'choice', choices: ['x'], value: 'y' } },
      'parameters.a.value is y: it must be one of the choices',
    ],
    [{ a: { type: 'list' } }, 'parameters.a.element_type is missing: it is one of'],
    [{ a: { type: 'list', element_type: 'str', min: [1] } }, 'parameters.a.min: a str has no bounds'],
    [
      { a: { type: 'list', element_type: 'int', max: [1] } },
      'parameters.a.max must be a list of one bound per element',
    ],
    [
      { a: { type: 'list', element_type: 'int', length: 1, min: [2], max: [1] } },
      'parameters.a[0].min is 2, above the maximum 1',
    ],
    [
      { a: { type: 'list', element_type: 'int', length: 1, value: ['x'] } },
      'parameters.a.value is an object or list: it must be a list of int',
    ],
    [
      { a: { type: 'dict', value: { d: Number.NaN } } },
      'parameters.a.value is an object or list: it must be a value that JSON can carry',
    ],
    [{ a: { type: 'str', value: 'x'.repeat(16_000) } }, 'parameters are 16'],
  ])('refuses %o', (parameters, text) => {
    expect(() => effect({ parameters } as DeviceFunctionOptions<undefined>)).toThrow(text);
  });

  it('names all faults at once', () => {
    const options = {
      description: 'x'.repeat(501),
      parameters: { a: { type: 'x' }, b: { type: 'str', desc: 1 } },
    };
    expect(() => query(options as unknown as DeviceFunctionOptions<undefined>)).toThrow(
      /description must be .*; parameters\.a\.type is x.*; parameters\.b\.desc must be/,
    );
  });
});
