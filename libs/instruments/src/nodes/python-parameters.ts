import type { JsonValue, ParameterDeclaration, ParameterDeclarations } from '@lab/sdk';

/** A parameter of a Python function as another system describes it. */
export interface PythonParameter {
  name: string;
  /** The annotation as a text, such as `int`, `Optional[float]` or `list[str]`. */
  type: string;
  required: boolean;
  /** Undefined or null: none that is known. */
  default?: JsonValue | undefined;
  description?: string | undefined;
}

/**
 * Declares parameters in the terms of `task.yml`.
 *
 * @returns undefined when one of them cannot be expressed: a partial declaration would refuse calls that the function allows
 */
export function declarationsOf(parameters: readonly PythonParameter[]): ParameterDeclarations | undefined {
  const declared: Record<string, ParameterDeclaration> = {};
  for (const parameter of parameters) {
    const declaration = declarationOf(parameter);
    if (declaration === undefined || !/^[A-Za-z][A-Za-z0-9_]*$/.test(parameter.name)) return undefined;
    declared[parameter.name] = declaration;
  }
  return declared;
}

/** The parameters as one line, for the description of a function that declares none. */
export function signatureOf(parameters: readonly PythonParameter[]): string {
  return parameters.map(({ name, type, required }) => `${name}${required ? '' : '?'}: ${type}`).join(', ');
}

const longestDescription = 160;

function declarationOf(parameter: PythonParameter): ParameterDeclaration | undefined {
  const type = typeOf(parameter.type);
  if (type === undefined) return undefined;
  const { description = '', required } = parameter;
  const desc = description === '' ? {} : { desc: description.slice(0, longestDescription) };
  if (required) return { ...type, ...desc } as ParameterDeclaration;
  const value = parameter.default;
  if (value === undefined || value === null || !fits(type, value))
    return { ...type, ...desc, optional: true } as ParameterDeclaration;
  return { ...type, ...desc, value } as ParameterDeclaration;
}

type Bare = { type: ParameterDeclaration['type'] } & Record<string, unknown>;

const plainTypes: Readonly<Record<string, Bare>> = {
  int: { type: 'int', unit: 'n/a' },
  float: { type: 'float', unit: 'n/a' },
  str: { type: 'str' },
  bool: { type: 'bool' },
  dict: { type: 'dict' },
};

function typeOf(annotation: string): Bare | undefined {
  const text = annotation.trim().replaceAll('typing.', '');
  if (Object.hasOwn(plainTypes, text)) return plainTypes[text];
  const either = partsOf(text, '|');
  if (either.length > 1) return ofUnion(either);
  const generic = /^([A-Za-z_]+)\[(.*)\]$/s.exec(text);
  if (generic === null) return undefined;
  const [, outer = '', inner = ''] = generic;
  const inside = partsOf(inner, ',');
  switch (outer.toLowerCase()) {
    case 'optional':
      return typeOf(inner);
    case 'union':
      return ofUnion(inside);
    case 'annotated':
      return typeOf(inside[0] ?? '');
    case 'dict':
    case 'mapping':
      return { type: 'dict' };
    case 'list':
    case 'sequence': {
      const element = typeOf(inner)?.type;
      return element === undefined || element === 'list' || element === 'choice'
        ? undefined
        : { type: 'list', element_type: element };
    }
    case 'literal': {
      const choices = inside.map(literalOf);
      return choices.includes(undefined) ? undefined : { type: 'choice', choices };
    }
    default:
      return undefined;
  }
}

/** A union of one type with None is that type. */
function ofUnion(parts: readonly string[]): Bare | undefined {
  const types = parts.filter((part) => part !== 'None' && part !== 'NoneType');
  return types.length === 1 ? typeOf(types[0] ?? '') : undefined;
}

/** Splits at a separator that is not within brackets or quotes. */
function partsOf(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const sign of text) {
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if ('[({'.includes(sign)) depth += 1;
    else if ('])}'.includes(sign)) depth -= 1;
    if (sign === separator && depth === 0 && quote === '') {
      parts.push(part.trim());
      part = '';
    } else part += sign;
  }
  parts.push(part.trim());
  return parts;
}

/** The value of a literal of Python; undefined: it has an escape or an unknown form. */
export function literalOf(text: string): string | number | boolean | null | undefined {
  if (text === 'True' || text === 'False') return text === 'True';
  if (text === 'None') return null;
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text);
  return /^(['"])([^'"\\]*)\1$/.exec(text)?.[2];
}

function fits({ type, choices, element_type: element }: Bare, value: JsonValue): boolean {
  switch (type) {
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number' && Number.isFinite(value);
    case 'str':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'choice':
      return (choices as JsonValue[]).includes(value);
    case 'list': {
      const inner = plainTypes[String(element)];
      return Array.isArray(value) && inner !== undefined && value.every((each) => fits(inner, each));
    }
    case 'dict':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}
