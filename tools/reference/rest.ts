import type { methods, OpenApiDocument, OperationObject } from '../shared/openapi.js';

/** The operations of the interface, by group, as a page. Bodies and fields are in the document itself. */
export function restPage({ info, tags, paths }: OpenApiDocument): string {
  const inOrder = ['get', 'post', 'put', 'patch', 'delete'] satisfies readonly (typeof methods)[number][];
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    inOrder.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ key: `${method.toUpperCase()} ${path}`, operation }];
    }),
  );
  return [
    '# REST interface\n',
    `Version ${info.version}. The OpenAPI document describes every field, body, response and example. A running service shows it`,
    'at `/docs` and serves it at `/docs-json`. The [error codes](errors.md) have a page of their own. `npm run docs:reference`',
    'generates this page from the document.\n',
    ...tags.flatMap(({ name, description }) => [
      `## ${name}\n`,
      `${description}\n`,
      '| operation | does | query | responses |',
      '| --- | --- | --- | --- |',
      ...operations
        .filter(({ operation }) => operation.tags?.includes(name))
        .map(({ key, operation }) => row(key, operation)),
      '',
    ]),
    `## What holds for all operations\n`,
    info.description,
    '',
  ].join('\n');
}

function row(key: string, { summary, parameters = [], responses }: OperationObject): string {
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => `\`${name}\``);
  const statuses = Object.keys(responses).filter((status) => Number(status) < 400);
  return `| \`${key}\` | ${summary} | ${query.join(', ')} | ${statuses.join(', ')} |`;
}
