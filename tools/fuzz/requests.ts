import fc from 'fast-check';
import {
  methods,
  type MediaType,
  type Method,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
} from '../shared/openapi.js';
import { namesIn, type Pool } from './pool.js';
import type { FuzzRequest } from './request.js';
import { brokenBody, hugeBody, mixed, nearly, odd, oddText, oddValue, valueOf } from './values.js';

/** Requests made from the OpenAPI document. */

/** Weights of operations that change what all other requests meet, or that compute for long. All others have 1. */
const rarely: [RegExp, number][] = [
  [/^post \/api\/labs\//, 0.02],
  [/^post \/api\/(packages|protocols|tasks)\/(refresh|load|unload|reload)$/, 0.03],
  [/^post \/api\/estop/, 0.1],
  [/^post \/api\/queue/, 0.1],
  [/^post \/api\/simulations/, 0.05],
  [/^post \/api\/protocols\/simulate/, 0.05],
  [/^post \/api\/campaigns$/, 0.3],
  [/^get \/api\/audit\/verify$/, 0.02],
];

/** Headers of a correct request. */
const usual = { 'content-type': 'application/json' };

const contentTypes = mixed(
  [30, fc.constant('application/json')],
  [2, fc.constantFrom(...odd.json_types)],
  [2, fc.constantFrom(...odd.content_types)],
);

/** The drawn parts of a request. {@link realize} fills in names of existing records when it is sent. */
export interface Recipe {
  /** Chooses path parameters from the pool; undefined: take `odd`. */
  known: number | undefined;
  odd: string[];
  query: [string, unknown][];
  /** 0 to 9: how likely the query is used. */
  withQuery: number;
  headers: Record<string, string | undefined>;
  withHeaders: number;
  isHead: boolean;
  body: unknown;
  contentType: string;
}

export interface Operation {
  /** For example `post /api/tasks`. */
  key: string;
  method: Method;
  path: string;
  /** Of the parameters of the path. */
  names: string[];
  weight: number;
  takesBody: boolean;
  arbitrary: fc.Arbitrary<Recipe>;
}

export const operationsOf = (document: OpenApiDocument): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const described = item[method];
      return described === undefined ? [] : [operationOf(document, method, path, described)];
    }),
  );

function operationOf(
  document: OpenApiDocument,
  method: Method,
  path: string,
  described: OperationObject,
): Operation {
  const key = `${method} ${path}`;
  const weight = rarely.find(([pattern]) => pattern.test(key))?.[1] ?? 1;
  const query = (described.parameters ?? []).filter((each) => each.in === 'query');
  const headers = (described.parameters ?? []).filter((each) => each.in === 'header');
  const content = described.requestBody?.content ?? {};
  const body = content['application/json'];
  const [otherType] = Object.keys(content).filter((type) => type !== 'application/json');
  const names = namesIn(path);
  const other = otherType === undefined ? undefined : content[otherType];
  const arbitrary = fc.record({
    known: mixed<number | undefined>([3, fc.nat()], [1, fc.constant(undefined)]),
    odd: fc.tuple(...names.map(() => oddText)),
    query: fc.array(
      fc.oneof(
        ...query.map(({ name, schema }): fc.Arbitrary<[string, unknown]> =>
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
    ...(otherType === undefined || other === undefined
      ? {
          body: body === undefined ? noBody : bodyOf(body, document.components.schemas),
          contentType: contentTypes,
        }
      : {
          body: textBodyOf(other),
          contentType: mixed([9, fc.constant(otherType)], [1, contentTypes]),
        }),
  });
  const takesBody = Object.keys(content).length > 0;
  return { key, method, path, names, weight, takesBody, arbitrary };
}

/** Values of a header: few idempotency keys for many requests, ranges inside and outside of files, and nonsense. */
const headerValue = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 30 }).filter((text) => /^[\x21-\x7e]+$/.test(text)),
    name.toLowerCase() === 'idempotency-key'
      ? fc.oneof(
          fc.integer({ min: 1, max: 40 }).map((number) => `key-${number}`),
          fc.uuid(),
          fc.constant('k'.repeat(300)),
        )
      : fc.constantFrom(...odd.headers, '9'.repeat(30)),
  );

/** Text of another media type: the examples of the document, changed ones, and broken text. */
function textBodyOf({ example, examples = {} }: MediaType): fc.Arbitrary<unknown> {
  const shown = [example, ...Object.values(examples).map(({ value }) => value)].filter(
    (each): each is string => typeof each === 'string',
  );
  const text = fc.oneof(...(shown.length === 0 ? [] : [fc.constantFrom(...shown)]), oddText);
  const interrupted = fc.tuple(text, fc.nat(), oddText).map(([each, chosen, part]) => {
    const at = chosen % (each.length + 1);
    return each.slice(0, at) + part + each.slice(at);
  });
  return mixed(
    [4, text.map((each) => Buffer.from(each))],
    [4, interrupted.map((each) => Buffer.from(each))],
    [1, brokenBody],
    [1, fc.constant(Buffer.from('a,b\n'.repeat(100_000)))],
  );
}

const noBody = mixed<unknown>([8, fc.constant(undefined)], [1, oddValue], [1, brokenBody]);

function bodyOf(
  { schema = {}, examples = {} }: MediaType,
  schemas: Record<string, Schema>,
): fc.Arbitrary<unknown> {
  const shown = Object.values(examples).map(({ value }) => value);
  const made = valueOf(schema, schemas);
  const valid = shown.length === 0 ? made : fc.oneof(fc.constantFrom(...shown), made);
  const near = nearly(valid);
  return mixed<unknown>(
    [40, valid],
    [60, near],
    [30, nearly(near)],
    [20, oddValue],
    [12, brokenBody],
    [1, hugeBody],
    [4, fc.constant(undefined)],
  );
}

/** Replaces an empty name, without which the path would be another one. */
const emptied = '%20';

/**
 * The request to send.
 *
 * @param freshName gives a new name to each submission, so that not all are duplicates
 */
export function realize(
  { method, path, names, takesBody }: Operation,
  recipe: Recipe,
  pool: Pool,
  freshName: () => string,
): Omit<FuzzRequest, 'caller'> {
  const known = recipe.known === undefined ? undefined : pool.pick(path, recipe.known);
  const places = names.map((name, index) => [name, known?.[name] ?? recipe.odd[index] ?? ''] as const);
  const filled = places.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encoded(value) || emptied),
    path,
  );
  const query = recipe.withQuery < 4 ? recipe.query : [];
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(asText(value))}`).join('&');
  const body = recipe.isHead ? undefined : named(recipe.body, freshName);
  return {
    method: recipe.isHead ? 'HEAD' : method.toUpperCase(),
    path: search === '' ? filled : `${filled}?${search}`,
    headers: definedOnly({
      ...(body === undefined ? {} : takesBody ? { 'content-type': recipe.contentType } : usual),
      ...(recipe.withHeaders < 3 ? recipe.headers : {}),
    }),
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : bytesOf(body) }),
    given: {
      path: Object.fromEntries(places),
      body: Buffer.isBuffer(body) ? undefined : body,
    },
  };
}

const definedOnly = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Gives a submission a fresh name. */
function named(body: unknown, freshName: () => string): unknown {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body) || !Object.hasOwn(body, 'name'))
    return body;
  const { name } = body as { name: unknown };
  return typeof name === 'string' && name.length < 20 ? { ...body, name: freshName() } : body;
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');

/** Percent-encodes text, even text that is not well-formed, as a client without a library may send it. */
export function encoded(text: string): string {
  return [...text]
    .map((character) =>
      character.isWellFormed() ? encodeURIComponent(character).replace(/^\.{1,2}$/, '%2E') : '%ED%A0%80',
    )
    .join('');
}

/** Requests to paths that are no route: other methods, other paths, malformed paths. */
export const strayRequest: fc.Arbitrary<Pick<FuzzRequest, 'method' | 'path' | 'headers' | 'body'>> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.oneof(
      fc.constantFrom(...odd.paths),
      fc.array(oddText, { maxLength: 4 }).map((parts) => `/no/${parts.map(encoded).join('/')}`),
      fc.constantFrom(2_000, 2_100, 9_000).map((length) => `/api/tasks/${'x'.repeat(length)}`),
    ),
    body: mixed<Buffer | undefined>([4, fc.constant(undefined)], [1, brokenBody]),
  })
  .map(({ body, ...line }) =>
    body === undefined || line.method === 'GET' || line.method === 'HEAD'
      ? { ...line, headers: {} }
      : { ...line, headers: usual, body },
  );
