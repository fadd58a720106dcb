import type { INestApplication } from '@nestjs/common';
import * as swagger from '@nestjs/swagger';
import { apiVersion, apiVersionHeader, requestIdHeader, schemas as declaredSchemas } from '@lab/contracts';
import { documentRoutes, operationExtension, type OperationDescription } from '../routes/index.js';
import { exampleOf } from './example-of.js';
import { interfaceDescription, tags } from './interface-description.js';
import { operationObject } from './operation-object.js';

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/**
 * Describes the routes of the application. Bodies come from the submission classes, so that the document and the checks
 * cannot differ.
 *
 * @throws Error when a route has no `@Operation`
 */
export function openApiDocument(app: INestApplication): swagger.OpenAPIObject {
  const builder = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Laboratory orchestration service')
    .setVersion(apiVersion)
    .setDescription(interfaceDescription)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The service that this document comes from.')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An access token, while authentication is on.' },
      'bearer',
    )
    .build();
  // The empty requirement: with authentication off, no token is asked for.
  builder.security = [{ bearer: [] }, {}];
  for (const [name, description] of Object.entries(tags)) builder.tags?.push({ name, description });
  documentRoutes(swagger);
  const document = swagger.SwaggerModule.createDocument(app, builder);
  const undescribed: string[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const route = item[method];
      if (route === undefined) continue;
      const { [operationExtension]: described, ...derived } = route as typeof route & Described;
      const [status = '200'] = Object.keys(route.responses);
      if (described === undefined) undescribed.push(`${method.toUpperCase()} ${path}`);
      else item[method] = { ...derived, ...operationObject(method, path, status, described) };
    }
  }
  if (undescribed.length > 0) throw new Error(`routes without @Operation: ${undescribed.join(', ')}`);
  const schemas = reachable(document.paths, declaredSchemas() as Record<string, SchemaObject>);
  document.components = { ...document.components, schemas, headers };
  for (const item of Object.values(document.paths)) {
    for (const method of methods) complete(item[method]?.responses as Responses | undefined, schemas);
  }
  return document;
}

interface Described {
  [operationExtension]?: OperationDescription;
}

type Responses = Record<string, { headers?: object; content?: Record<string, Content> }>;

interface Content {
  schema?: object;
  example?: unknown;
  examples?: object;
}

const headers = {
  [apiVersionHeader]: {
    description: 'Version of the interface that answered.',
    schema: { type: 'string' as const, enum: [apiVersion] },
  },
  [requestIdHeader]: {
    description:
      'Name of the request in the logs of the service: what the request said in the same header, or a new one.',
    schema: { type: 'string' as const },
  },
};

/** Adds the headers that every answer has, and an example to each JSON answer without one. */
function complete(responses: Responses = {}, schemas: Record<string, SchemaObject>): void {
  for (const response of Object.values(responses)) {
    response.headers = {
      ...response.headers,
      ...Object.fromEntries(
        Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      ),
    };
    const content = response.content?.['application/json'];
    if (content?.schema !== undefined && content.example === undefined && content.examples === undefined)
      content.example = exampleOf(content.schema, schemas);
    const stream = response.content?.['text/event-stream'];
    if (typeof stream?.example === 'object')
      stream.example = eventText(stream.example as StreamExample, schemas);
  }
}

interface StreamExample {
  type: string;
  data: object;
}

/** An event as it stands in a stream. */
function eventText({ type, data }: StreamExample, schemas: Record<string, SchemaObject>): string {
  const event = exampleOf(data, schemas) as { id: number };
  return `id: ${event.id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

type SchemaObject = NonNullable<NonNullable<swagger.OpenAPIObject['components']>['schemas']>[string];

const reference = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * The schemas that the operations use, directly or inside of others.
 *
 * @throws Error when an operation uses a schema that is not declared
 */
function reachable(
  paths: swagger.OpenAPIObject['paths'],
  declared: Record<string, SchemaObject>,
): Record<string, SchemaObject> {
  const found: Record<string, SchemaObject> = {};
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (name in found) continue;
      const schema = declared[name];
      if (schema === undefined) throw new Error(`no class declares the schema ${name}`);
      found[name] = schema;
      visit(schema);
    }
  };
  visit(paths);
  return found;
}
