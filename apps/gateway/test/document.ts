import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: { name: string; in: string; schema: Schema; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; headers?: object; content?: Record<string, Content> }>;
}

/** The parts of the OpenAPI document that the tests use. */
export interface Document {
  openapi: string;
  info: { version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Every operation with its method and path, such as `get /api/labs`. */
export function operationsOf(document: Document): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
}

/** Every example of an operation, with its place and its schema. */
export function examplesOf(operation: Operation): { at: string; schema: Schema; value: unknown }[] {
  const contents = [
    ...Object.entries(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap(({ content }) => Object.entries(content ?? {})),
  ];
  return [
    ...operation.parameters.flatMap(({ name, schema, example }) =>
      example === undefined ? [] : [{ at: name, schema, value: example }],
    ),
    ...contents.flatMap(([type, { schema, example, examples = {} }]) => [
      ...(example === undefined ? [] : [{ at: type, schema, value: example }]),
      ...Object.entries(examples).map(([name, { value }]) => ({ at: `${type} ${name}`, schema, value })),
    ]),
  ];
}

const documentId = 'urn:svc:openapi';

/**
 * Reads the schemas of a document as JSON Schema 2020-12, as OpenAPI 3.1 defines them.
 * @returns the faults of a value under a schema of the document
 */
export function checker(document: Document): (schema: Schema, value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, formats: { binary: true } });
  ajvFormats.default(ajv);
  ajv.addSchema({ $id: documentId, ...document });
  const checks = new Map<string, ValidateFunction>();
  const checkOf = (schema: Schema): ValidateFunction => {
    const placed = JSON.stringify(schema).replaceAll('"#/components/', `"${documentId}#/components/`);
    const check = checks.get(placed) ?? ajv.compile(JSON.parse(placed) as object);
    checks.set(placed, check);
    return check;
  };
  return (schema, value) => {
    const check = checkOf(schema);
    return check(value) ? [] : (check.errors ?? []).map(faultText);
  };
}

function faultText({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath}: ${message ?? 'is wrong'} ${JSON.stringify(params)}`;
}
