const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of the interface, by group, as a page; bodies and fields are in the document itself. */
export function restPage({ info, tags, paths }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] === undefined ? [] : [{ path, method, ...item[method] }])),
  );
  return [
    '# REST interface\n',
    `Version ${info.version}. Every field, body, answer and example is in the OpenAPI document: a running service shows it at`,
    '`/docs` and serves it at `/docs-json`. The codes of errors are listed in [errors](errors.md). This page is made of that',
    'document by `npm run docs:reference`.\n',
    ...tags.flatMap(({ name, description }) => [
      `## ${name}\n`,
      `${description}\n`,
      '| operation | does | query | answers |',
      '| --- | --- | --- | --- |',
      ...operations.filter((operation) => operation.tags.includes(name)).map(row),
      '',
    ]),
    `## What holds for all\n`,
    info.description,
    '',
  ].join('\n');
}

function row({ path, method, summary, parameters, responses }) {
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => `\`${name}\``);
  const answers = Object.keys(responses).filter((status) => Number(status) < 400);
  return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${query.join(', ')} | ${answers.join(', ')} |`;
}
