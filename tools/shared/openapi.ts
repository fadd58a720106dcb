/** The parts of an OpenAPI 3.1 document that the tools read. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  example?: unknown;
  examples?: unknown[];
  default?: unknown;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface ResponseObject {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface OperationObject {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content?: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  /** What a caller needs: nothing, a valid identity, or a role. */
  'x-needs'?: Need;
}

/** A role, for all labs, for the lab that a field names, or for the lab of a record. */
export interface RoleNeed {
  role: string;
  lab?: string;
  of?: string;
}
export type Need = 'nothing' | 'identity' | RoleNeed;

export const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;
export type Method = (typeof methods)[number];
export type PathItem = Partial<Record<Method, OperationObject>>;

export interface OpenApiDocument {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema> };
}

/** An operation by its key, for example `post /api/tasks`. */
export function operationAt(
  { paths }: Pick<OpenApiDocument, 'paths'>,
  key: string,
): OperationObject | undefined {
  const [method, path = ''] = key.split(' ');
  return paths[path]?.[method as Method];
}
