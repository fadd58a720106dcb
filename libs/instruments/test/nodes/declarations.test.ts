import { describe, expect, it } from 'vitest';
import { declarationsOf, signatureOf } from '../../src/nodes/python-parameters.js';
import { changedFunctions, functionChanges } from '../../src/nodes/told-functions.js';

const one = (type: string, more: object = {}): unknown =>
  declarationsOf([{ name: 'x', type, required: true, ...more }])?.['x'];

describe('a parameter in Python', () => {
  it.each([
    ['int', { type: 'int', unit: 'n/a' }],
    ['float', { type: 'float', unit: 'n/a' }],
    ['Optional[str]', { type: 'str' }],
    ['typing.Union[bool, None]', { type: 'bool' }],
    ['float | None', { type: 'float', unit: 'n/a' }],
    ['dict[str, list[int]]', { type: 'dict' }],
    ['List[float]', { type: 'list', element_type: 'float' }],
    ['Literal[\'a, b\', "c", 3]', { type: 'choice', choices: ['a, b', 'c', 3] }],
    ['Annotated[int, Field(ge=1)]', { type: 'int', unit: 'n/a' }],
  ])('of the type %s is declared', (type, declared) => {
    expect(one(type)).toEqual(declared);
  });

  it.each(['Any', 'list', 'list[list[int]]', 'int | str', 'Path', "Literal['it''s']", 'MyModel'])(
    'of the type %s cannot be, and then no parameter of the function is',
    (type) => {
      expect(one(type)).toBeUndefined();
    },
  );

  it('has its default, or may be left out', () => {
    expect(one('int', { required: false, default: 3 })).toEqual({ type: 'int', unit: 'n/a', value: 3 });
    expect(one('int', { required: false, default: 'three' })).toEqual({
      type: 'int',
      unit: 'n/a',
      optional: true,
    });
    expect(one('str', { required: false, description: 'where' })).toEqual({
      type: 'str',
      desc: 'where',
      optional: true,
    });
  });

  it('stands in the line that describes a function without declarations', () => {
    const parameters = [
      { name: 'a', type: 'Path', required: true },
      { name: 'b', type: 'int', required: false },
    ];
    expect(signatureOf(parameters)).toBe('a: Path, b?: int');
  });
});

describe('functions of another system', () => {
  const told = { dose: { description: 'Doses' }, level: { parameters: {} } };
  const carryOut = (name: string, kind: string): Promise<string> => Promise.resolve(`${name} as ${kind}`);

  it('are effects unless the lab says otherwise', async () => {
    const changes = functionChanges.parse({ level: { kind: 'query', timeout: 5, desc: 'Tells' } });
    const functions = changedFunctions(told, changes, carryOut);
    expect(functions).toMatchObject({
      dose: { kind: 'effect', description: 'Doses' },
      level: { kind: 'query', timeout: 5, description: 'Tells', parameters: {} },
    });
    expect(functions['dose']).not.toHaveProperty('parameters');
    expect(await functions['level']?.call({})).toBe('level as query');
  });

  it('that the lab names must exist', () => {
    expect(() => changedFunctions(told, functionChanges.parse({ dosee: {} }), carryOut)).toThrow(
      'init_parameters.functions names dosee, which the system does not have: it has dose, level',
    );
  });

  it('lose their long descriptions before they are too many', () => {
    const parameters = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`p${index}`, { type: 'str', desc: 'd'.repeat(150) } as const]),
    );
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`f${index}`, { description: 'x'.repeat(300), parameters }]),
    );
    const functions = changedFunctions(many, {}, carryOut);
    expect(Buffer.byteLength(JSON.stringify(functions))).toBeLessThan(30_000);
    expect(functions['f29']).toMatchObject({ parameters: { p7: { type: 'str' } } });
  });
});
