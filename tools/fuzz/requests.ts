// Requests made of the document of the interface.
import fc from 'fast-check';
import { brokenBody, hugeBody, nearly, oddText, oddValue, valueOf } from './values.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** How often operations are asked for that change what all others meet, or compute for long; others: 1. */
const rarely = [
  [/^post \/api\/labs\//, 0.02],
  [/^post \/api\/(packages|protocols|tasks)\/(refresh|load|unload|reload)$/, 0.03],
  [/^post \/api\/estop/, 0.1],
  [/^post \/api\/queue/, 0.1],
  [/^post \/api\/simulations/, 0.05],
  [/^post \/api\/protocols\/simulate/, 0.05],
  [/^post \/api\/campaigns$/, 0.3],
  [/^get \/api\/audit\/verify$/, 0.02],
];

/** Headers of a request that is as it should be. */
const usual = { 'content-type': 'application/json' };

const contentTypes = fc.oneof(
  { weight: 30, arbitrary: fc.constant('application/json') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json;charset=utf-16',
      'APPLICATION/JSON',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/xml',
      'multipart/form-data',
      'text/csv',
      'x',
      '',
      '*/*',
    ),
  },
);

/** A request before it is known what the service has: what of it comes from the {@link Pool} is filled in as it is sent. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map((method) => operation(document, method, path, item[method])),
  );
}

function operation(document, method, path, described) {
  const key = `${method} ${path}`;
  const weight = rarely.find(([pattern]) => pattern.test(key))?.[1] ?? 1;
  const query = (described.parameters ?? []).filter((each) => each.in === 'query');
  const headers = (described.parameters ?? []).filter((each) => each.in === 'header');
  const content = described.requestBody?.content ?? {};
  const body = content['application/json'];
  const [otherType] = Object.keys(content).filter((type) => type !== 'application/json');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const arbitrary = fc.record({
    /** Whether path parameters are taken from what is known, and which. */
    known: fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant(undefined) }),
    odd: fc.tuple(...names.map(() => oddText)),
    query: fc.array(
      fc.oneof(
        ...query.map(({ name, schema }) =>
          fc.tuple(fc.constant(name), fc.oneof(valueOf(schema ?? {}, document.components.schemas), oddText)),
        ),
        fc.tuple(oddText, oddText),
      ),
      { maxLength: query.length === 0 ? 1 : 3, size: 'small' },
    ),
    withQuery: fc.integer({ min: 0, max: 9 }),
    headers: fc.record(
      Object.fromEntries(headers.map(({ name }) => [name.toLowerCase(), headerValue(name)])),
      { requiredKeys: [] },
    ),
    withHeaders: fc.integer({ min: 0, max: 9 }),
    isHead:
      method === 'get' ? fc.integer({ min: 0, max: 19 }).map((chance) => chance === 0) : fc.constant(false),
    ...(otherType === undefined
      ? {
          body: body === undefined ? noBody : bodyOf(body, document.components.schemas),
          contentType: contentTypes,
        }
      : {
          body: textBodyOf(content[otherType]),
          contentType: fc.oneof({ weight: 9, arbitrary: fc.constant(otherType) }, contentTypes),
        }),
  });
  const takesBody = Object.keys(content).length > 0;
  return { key, method, path, names, weight, takesBody, arbitrary };
}

/** What a header may be sent with: few keys for many requests, ranges that are and are not there, and what means nothing. */
const headerValue = (name) =>
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 30 }).filter((text) => /^[\x21-\x7e]+$/.test(text)),
    name.toLowerCase() === 'idempotency-key'
      ? fc.oneof(
          fc.integer({ min: 1, max: 40 }).map((number) => `key-${number}`),
          fc.uuid(),
          fc.constant('k'.repeat(300)),
        )
      : fc.constantFrom(
          '0',
          '1',
          '-1',
          'x',
          'bytes=0-',
          'bytes=5-1',
          'bytes=-1',
          'bytes=0-0,2-3',
          '9'.repeat(30),
          '"a"',
        ),
  );

/** Text of another media type: what the document shows of it, changed or not, and what is none. */
function textBodyOf({ example, examples = {} }) {
  const shown = [example, ...Object.values(examples).map(({ value }) => value)].filter(
    (each) => typeof each === 'string',
  );
  const text = fc.oneof(...(shown.length === 0 ? [] : [fc.constantFrom(...shown)]), oddText);
  return fc.oneof(
    { weight: 4, arbitrary: text.map((each) => Buffer.from(each)) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(text, fc.nat(), oddText)
        .map(([each, at, odd]) => [each, at % (each.length + 1), odd])
        .map(([each, at, odd]) => Buffer.from(each.slice(0, at) + odd + each.slice(at))),
    },
    { weight: 1, arbitrary: brokenBody },
    { weight: 1, arbitrary: fc.constant(Buffer.from('a,b\n'.repeat(100_000))) },
  );
}

const noBody = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: oddValue },
  { weight: 1, arbitrary: brokenBody },
);

function bodyOf({ schema, examples = {} }, schemas) {
  const shown = Object.values(examples).map(({ value }) => value);
  const made = valueOf(schema, schemas);
  const valid = shown.length === 0 ? made : fc.oneof(fc.constantFrom(...shown), made);
  const near = nearly(valid);
  return fc.oneof(
    { weight: 40, arbitrary: valid },
    { weight: 60, arbitrary: near },
    { weight: 30, arbitrary: nearly(near) },
    { weight: 20, arbitrary: oddValue },
    { weight: 12, arbitrary: brokenBody },
    { weight: 1, arbitrary: hugeBody },
    { weight: 4, arbitrary: fc.constant(undefined) },
  );
}

/** In place of a name that is empty: without it the address would be another one. */
const emptied = '%20';

/**
 * The request as it is sent.
 *
 * @param recipe what the operation's arbitrary gave
 * @param freshName for what is submitted, so that not everything is a duplicate
 * @returns `given`: parameters of the path and the body as they were before they became text
 */
export function realize({ method, path, names, takesBody }, recipe, pool, freshName) {
  const known = recipe.known === undefined ? undefined : pool.pick(path, recipe.known);
  const filled = names.reduce(
    (text, name, index) => text.replace(`{${name}}`, encoded(known?.[name] ?? recipe.odd[index]) || emptied),
    path,
  );
  const query = recipe.withQuery < 4 ? recipe.query : [];
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(asText(value))}`).join('&');
  const body = recipe.isHead ? undefined : named(recipe.body, freshName);
  return {
    method: recipe.isHead ? 'HEAD' : method.toUpperCase(),
    path: search === '' ? filled : `${filled}?${search}`,
    headers: {
      ...(body === undefined ? {} : takesBody ? { 'content-type': recipe.contentType } : usual),
      ...(recipe.withHeaders < 3 ? recipe.headers : {}),
    },
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : bytesOf(body) }),
    given: {
      path: Object.fromEntries(names.map((name, index) => [name, known?.[name] ?? recipe.odd[index]])),
      body: Buffer.isBuffer(body) ? undefined : body,
    },
  };
}

function named(body, freshName) {
  const isSubmission =
    typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && Object.hasOwn(body, 'name');
  return isSubmission && typeof body.name === 'string' && body.name.length < 20
    ? { ...body, name: freshName() }
    : body;
}

const asText = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const bytesOf = (value) => Buffer.from(JSON.stringify(value) ?? '');

/** Percent-encoded; also text that is not well-formed, as somebody may send it who encodes by hand. */
export function encoded(text) {
  return [...text]
    .map((character) =>
      character.isWellFormed() ? encodeURIComponent(character).replace(/^\.{1,2}$/, '%2E') : '%ED%A0%80',
    )
    .join('');
}

/** Requests to what is no route: other methods, other paths, paths that are not well-formed. */
export const strayRequest = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.oneof(
      fc.constantFrom(
        '/',
        '/api',
        '/api/',
        '//',
        '/api//tasks',
        '/api/%zz',
        '/.git/config',
        '/api/../docs',
        '/API/TASKS',
      ),
      fc.array(oddText, { maxLength: 4 }).map((parts) => `/no/${parts.map(encoded).join('/')}`),
      fc.constantFrom(2_000, 2_100, 9_000).map((length) => `/api/tasks/${'x'.repeat(length)}`),
    ),
    body: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: brokenBody }),
  })
  .map(({ method, path, body }) => ({
    method,
    path,
    headers: body === undefined || method === 'GET' || method === 'HEAD' ? {} : usual,
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
  }));
