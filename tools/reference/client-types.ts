import openapiTS, { astToString } from 'openapi-typescript';

const banner = '// Made of the OpenAPI document by npm run docs:reference; not written by hand.\n';

/** The types of `libs/api-client`: operations by path, and every schema under its own name. */
export async function clientTypes(document) {
  return `${banner}${astToString(
    await openapiTS(slim(document), {
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      defaultNonNullable: false,
      emptyObjectsUnknown: true,
    }),
  )}`;
}

/** The document without what the types of the client do not tell: errors are all problems, headers all alike. */
function slim(document) {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, slimOperation(operation)]),
      ),
    ]),
  );
  return { ...document, paths, components: { schemas: document.components.schemas } };
}

function slimOperation({ requestBody, responses, ...operation }) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: withoutExamples(requestBody) }),
    responses: Object.fromEntries(successes.map(([status, response]) => [status, slimResponse(response)])),
  };
}

function slimResponse({ description, content }) {
  return withoutExamples({ description, ...(content === undefined ? {} : { content }) });
}

function withoutExamples({ content, ...rest }) {
  if (content === undefined) return rest;
  const schemas = Object.entries(content).map(([type, { schema }]) => [type, { schema }]);
  return { ...rest, content: Object.fromEntries(schemas) };
}
