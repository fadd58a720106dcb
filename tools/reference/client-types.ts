import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { MediaType, OpenApiDocument, OperationObject } from '../shared/openapi.js';

interface MediaHolder {
  description?: string | undefined;
  content?: Record<string, MediaType>;
}

const banner = '// Generated from the OpenAPI document by npm run docs:reference. Do not edit.\n';

/** The types of `libs/api-client`: operations by path, and every schema under its own name. */
export async function clientTypes(document: OpenApiDocument): Promise<string> {
  const types = await openapiTS(slim(document) as unknown as OpenAPI3, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
  });
  return `${banner}${astToString(types)}`;
}

/** The document without errors, headers and examples, which are not in the types of the client. */
function slim(document: OpenApiDocument): object {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, each]) => [method, slimOperation(each)])),
  ]);
  return {
    ...document,
    paths: Object.fromEntries(paths) as object,
    components: { schemas: document.components.schemas },
  };
}

function slimOperation({ requestBody, responses, ...operation }: OperationObject): object {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: withoutExamples(requestBody) }),
    responses: Object.fromEntries(
      successes.map(([status, { description, content }]) => [
        status,
        withoutExamples({ description, ...(content === undefined ? {} : { content }) }),
      ]),
    ),
  };
}

function withoutExamples({ content, ...rest }: MediaHolder): object {
  if (content === undefined) return rest;
  const schemas = Object.entries(content).map(([type, { schema }]) => [type, { schema }]);
  return { ...rest, content: Object.fromEntries(schemas) as object };
}
