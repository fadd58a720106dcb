interface Node {
  $ref?: string;
  type?: string | string[];
  format?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  oneOf?: Node[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  minimum?: number;
  minItems?: number;
}

const prefix = '#/components/schemas/';

/** Examples of texts by the ends of the names of their fields, for fields without an example. */
const texts: [RegExp, string][] = [
  [/(^|_)(id|session|worker)$/, '0190c0de-0000-7000-8000-000000000001'],
  [/(^|_)(hash|sha256|head)$/, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
];

/**
 * A value that the schema allows, made of the examples of its fields.
 *
 * @param schemas the referenced schemas by name
 * @param name of the field that has the value
 * @param path names of the schemas that contain this one. A schema that contains itself ends with null or an empty list
 */
export function exampleOf(
  schema: object,
  schemas: Record<string, object>,
  name = '',
  path: string[] = [],
): unknown {
  const node: Node = schema;
  if (node.$ref !== undefined) {
    const referenced = node.$ref.slice(prefix.length);
    return exampleOf(schemas[referenced] ?? {}, schemas, name, [...path, referenced]);
  }
  if (node.example !== undefined) return node.example;
  const options = node.oneOf ?? node.anyOf;
  if (options !== undefined) {
    const nullable = options.some(({ type }) => type === 'null');
    const [first] = options.filter(({ type }) => type !== 'null');
    return nullable || first === undefined ? null : exampleOf(first, schemas, name, path);
  }
  if (node.default !== undefined) return node.default;
  const types = [node.type ?? []].flat();
  if (types.includes('null')) return null;
  if (node.enum !== undefined) return node.enum[0];
  switch (types[0]) {
    case 'object':
      return objectOf(node, schemas, path);
    case 'array': {
      const { items } = node;
      const again = items?.$ref !== undefined && path.includes(items.$ref.slice(prefix.length));
      return items === undefined || again ? [] : [exampleOf(items, schemas, name, path)];
    }
    case 'string':
      return node.format === 'date-time' ? '2026-11-20T09:30:00.000Z' : textOf(name);
    case 'integer':
    case 'number':
      return node.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function textOf(name: string): string {
  return texts.find(([names]) => names.test(name))?.[1] ?? 'text';
}

function objectOf(
  { properties = {}, required = [] }: Node,
  schemas: Record<string, object>,
  path: string[],
): Record<string, unknown> {
  const fields = required.flatMap((name) => {
    const field = properties[name];
    return field === undefined ? [] : [[name, exampleOf(field, schemas, name, path)]];
  });
  return Object.fromEntries(fields) as Record<string, unknown>;
}
