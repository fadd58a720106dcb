import type { JsonObject, JsonValue, ParameterDeclaration } from '@lab/sdk';

/** The type of a value on a server, in JSON. */
export interface ValueType extends JsonObject {
  /** The built-in type, as in `Double`. */
  type: string;
  /** Node id of the data type. */
  data_type: string;
  isArray: boolean;
}

/** A variable or an argument. */
export interface ValueDescription extends ValueType {
  name: string;
  desc: string;
  unit: string;
  /** Numbers of an enumeration by name; empty: it is none. */
  choices: Record<string, number>;
}

const integers: Record<string, readonly [min: number, max: number]> = {
  SByte: [-128, 127],
  Byte: [0, 255],
  Int16: [-32_768, 32_767],
  UInt16: [0, 65_535],
  Int32: [-2_147_483_648, 2_147_483_647],
  UInt32: [0, 4_294_967_295],
  Int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  UInt64: [0, Number.MAX_SAFE_INTEGER],
};

/** A value of a server in the terms of `task.yml`. Structures are objects; times, node ids and bytes (base64) are texts. */
export function declarationOf(value: ValueDescription): ParameterDeclaration {
  const { type, isArray, choices, unit, desc } = value;
  const common = desc === '' ? {} : { desc: desc.slice(0, 400) };
  const names = Object.keys(choices);
  const simple = simpleType(type);
  if (isArray) return { type: 'list', element_type: names.length > 0 ? 'str' : simple, ...common };
  if (names.length > 0) return { type: 'choice', choices: names, ...common };
  const bounds = integers[type];
  if (bounds !== undefined) return { type: 'int', unit, min: bounds[0], max: bounds[1], ...common };
  if (simple === 'float') return { type: 'float', unit, ...common };
  return { type: simple as 'str' | 'bool' | 'dict', ...common };
}

function simpleType(type: string): 'int' | 'float' | 'str' | 'bool' | 'dict' {
  if (type in integers) return 'int';
  if (type === 'Float' || type === 'Double') return 'float';
  if (type === 'Boolean') return 'bool';
  return type === 'ExtensionObject' ? 'dict' : 'str';
}

/** The names of an enumeration as the numbers of the server. @throws TypeError that lists the names */
export function toServer({ choices, name }: ValueDescription, value: JsonValue): JsonValue {
  const names = Object.keys(choices);
  if (names.length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => numberOf(choices, names, name, each));
  return numberOf(choices, names, name, value);
}

function numberOf(choices: Record<string, number>, names: string[], name: string, value: JsonValue): number {
  const number = typeof value === 'string' ? choices[value] : undefined;
  if (number === undefined) {
    throw new TypeError(`${name} is ${JSON.stringify(value)}: it is one of ${names.join(', ')}`);
  }
  return number;
}

/** The numbers of an enumeration as their names. A number without a name stays. */
export function fromServer({ choices }: Pick<ValueDescription, 'choices'>, value: JsonValue): JsonValue {
  if (Object.keys(choices).length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => fromServer({ choices }, each));
  return Object.keys(choices).find((name) => choices[name] === value) ?? value;
}
