import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { apiVersion, apiVersionHeader, requestIdHeader, schemas as declaredSchemas } from '@lab/contracts';
import { needExtension } from '../access/index.js';
import { exampleOf } from './example-of.js';
import { interfaceDescription, tags } from './interface-description.js';
import { operations } from './operations.js';

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/**
 * Describes the routes that the application really has. Bodies come from the submission classes, so that the document
 * and the checks cannot differ.
 *
 * @throws Error when a route has no description, or a description has no route
 */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
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
  const document = SwaggerModule.createDocument(app, builder);
  const undescribed: string[] = [];
  const unused = new Set(Object.keys(operations));

  for (const [path, item] of Object.entries(document.paths)) {
    if (path === '/docs' || path.startsWith('/docs/') || path === '/docs-json') {
      delete document.paths[path];
      continue;
    }
    for (const method of methods) {
      if (item[method] === undefined) continue;
      const key = `${method.toUpperCase()} ${path}`;
      const operation = operations[key];
      unused.delete(key);
      if (operation === undefined) undescribed.push(key);
      else item[method] = { ...operation, ...needOf(item[method]) };
    }
  }
  if (undescribed.length > 0 || unused.size > 0) {
    throw new Error(
      `routes without description: ${undescribed.join(', ') || 'none'}; descriptions without route: ${[...unused].join(', ') || 'none'}`,
    );
  }
  const schemas = reachable(document.paths, declaredSchemas() as Record<string, SchemaObject>);
  document.components = { ...document.components, schemas, headers };
  for (const item of Object.values(document.paths)) {
    for (const method of methods) complete(item[method]?.responses as Responses | undefined, schemas);
  }
  return document;
}

/** Which role a route asks for, as its guard knows it. */
function needOf(route: object): object {
  return needExtension in route ? { [needExtension]: route[needExtension] } : {};
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

/** Gives every answer the headers that all have, and those in JSON an example where none is told. */
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
  }
}

type SchemaObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const reference = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * The schemas that the operations use, directly or inside of others.
 *
 * @throws Error when an operation uses a schema that is not declared
 */
function reachable(
  paths: OpenAPIObject['paths'],
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
