import type { OpenApiDocument, Schema } from '../../shared/openapi.js';

/**
 * The schemas of the OpenAPI document as typed dictionaries of Python, for `libs/python-client`. The service may add fields and
 * values within a version, and a dictionary carries them along.
 */

interface Described extends Schema {
  description?: string;
}

const head = `"""Shapes of the REST interface. \`npm run docs:reference\` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

`;

/** Longest line of the generated files, in characters. */
const longestLine = 118;

export function modelsModule({ components: { schemas } }: OpenApiDocument): string {
  const blocks = Object.keys(schemas)
    .sort()
    .flatMap((name) => new Model(schemas[name] ?? {}, name).blocks);
  return `${head}\n${blocks.join('\n\n')}`;
}

/** One schema with the classes of the objects inside. Inner classes come first, because Python reads from above. */
class Model {
  readonly blocks: string[] = [];

  constructor(schema: Described, name: string) {
    if (isClass(schema)) this.#addClass(schema, name);
    else this.blocks.push(`${name} = ${this.#type(schema, `${name}Item`)}\n`);
  }

  #addClass(schema: Described, name: string): void {
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties ?? {}).map(([field, each]) => {
      const type = this.#type(each, `${name}${pascal(field)}`);
      return { field, type: required.has(field) ? type : `NotRequired[${type}]`, about: each as Described };
    });
    const isPlain = fields.every(({ field }) => /^[A-Za-z_]\w*$/.test(field) && !keywords.has(field));
    this.blocks.push(isPlain ? classText(name, schema, fields) : callText(name, fields));
  }

  #type(schema: Described, name: string): string {
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'Any';
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined)
      return unique(choices.map((each, index) => this.#type(each, index === 0 ? name : `${name}${index}`)));
    if (schema.enum !== undefined) return unique([literals(schema.enum)]);
    if ('const' in schema) return literals([schema.const]);
    const types = [schema.type ?? []].flat();
    return types.length === 0 ? 'Any' : unique(types.map((each) => this.#plain(each, schema, name)));
  }

  #plain(type: string, schema: Described, name: string): string {
    switch (type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `list[${this.#type(schema.items ?? {}, `${name}Item`)}]`;
      case 'object': {
        if (isClass(schema)) {
          this.#addClass(schema, name);
          return name;
        }
        const values = schema.additionalProperties;
        return `dict[str, ${typeof values === 'object' ? this.#type(values, `${name}Value`) : 'Any'}]`;
      }
      default:
        throw new Error(`${name} has the unknown type ${type}`);
    }
  }
}

interface FieldText {
  field: string;
  type: string;
  about: Described;
}

function classText(name: string, { description }: Described, fields: readonly FieldText[]): string {
  const about = description === undefined ? [] : [docstring(description, '    '), ''];
  const lines = fields.flatMap(({ field, type, about: { description: each } }) => [
    `    ${field}: ${type}`,
    ...(each === undefined ? [] : [docstring(each, '    ')]),
  ]);
  return [`class ${name}(TypedDict):`, ...about, ...lines, ''].join('\n');
}

/** A class whose fields are no names of Python, such as `from`. */
function callText(name: string, fields: readonly FieldText[]): string {
  const lines = fields.map(({ field, type }) => `        ${text(field)}: ${text(type)},`);
  return [`${name} = TypedDict(`, `    ${text(name)},`, '    {', ...lines, '    },', ')', ''].join('\n');
}

/** A text as lines of at most {@link longestLine} characters. */
function docstring(words: string, indent: string): string {
  const lines: string[] = [];
  let line = `${indent}"""`;
  for (const word of words.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/)) {
    if (line.length + word.length + 4 > longestLine) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line.endsWith('"""') ? `${line}${word}` : `${line} ${word}`;
  }
  return [...lines, `${line}"""`].join('\n');
}

const isClass = ({ type, properties }: Described): boolean =>
  [type].flat().includes('object') && Object.keys(properties ?? {}).length > 0;

const pascal = (field: string): string =>
  field
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** Alternatives, each once. */
const unique = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const literals = (values: readonly unknown[]): string =>
  `Literal[${values.map((each) => (each === null ? 'None' : typeof each === 'boolean' ? pascal(String(each)) : text(each))).join(', ')}]`;

const text = (value: unknown): string => JSON.stringify(value);

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
