interface Node {
  $ref?: string;
  type?: string | string[];
  format?: string;
  example?: unknown;
  examples?: unknown[];
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

/**
 * A value that a schema allows, made of the examples of its fields: so every answer has an example, and none can be of
 * another shape than its schema.
 *
 * @param schemas what references lead to, by name
 */
export function exampleOf(schema: object, schemas: Record<string, object>): unknown {
  return valueOf(schema as Node, schemas, []);
}

/** @param path names of the schemas that this one is inside of: one that contains itself ends with null or nothing */
function valueOf(node: Node, schemas: Record<string, object>, path: string[]): unknown {
  if (node.$ref !== undefined) {
    const name = node.$ref.slice(prefix.length);
    return valueOf((schemas[name] ?? {}) as Node, schemas, [...path, name]);
  }
  if (node.example !== undefined) return node.example;
  if (node.examples?.[0] !== undefined) return node.examples[0];
  const options = node.oneOf ?? node.anyOf;
  if (options !== undefined) {
    const nullable = options.some(({ type }) => type === 'null');
    const [first] = options.filter(({ type }) => type !== 'null');
    return nullable || first === undefined ? null : valueOf(first, schemas, path);
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
      return items === undefined || again ? [] : [valueOf(items, schemas, path)];
    }
    case 'string':
      return node.format === 'date-time' ? '2026-11-20T09:30:00.000Z' : 'text';
    case 'integer':
    case 'number':
      return node.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function objectOf(
  { properties = {}, required = [] }: Node,
  schemas: Record<string, object>,
  path: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    required.flatMap((name) => {
      const field = properties[name];
      return field === undefined ? [] : [[name, valueOf(field, schemas, path)]];
    }),
  );
}
