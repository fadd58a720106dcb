import fc from 'fast-check';
import type { RawReply } from '../shared/raw-sender.js';
import { type Method, type OpenApiDocument } from '../shared/openapi.js';
import type { Caller } from './people.js';
import { type FuzzRequest, parsedJson } from './request.js';

/**
 * Sequences of requests. Callers with and without permission read, pause, change, cancel and repeat a submission; or they
 * create, use and revoke a token, and use it again.
 */

const json = { 'content-type': 'application/json' };

/** The list of each kind of work, its actions and its reads. */
const kinds = [
  {
    list: '/api/tasks',
    acts: ['cancel'],
    reads: ['', '/attempts', '/files/none.txt', '/files.zip', '/clone'],
  },
  {
    list: '/api/protocols',
    acts: ['pause', 'resume', 'cancel'],
    reads: ['', '/tasks', '/files.zip', '/clone'],
  },
  {
    list: '/api/campaigns',
    acts: ['pause', 'resume', 'cancel'],
    reads: [
      '',
      '/trials',
      '/runs',
      '/runs.csv',
      '/parameters.csv',
      '/optimizer',
      '/optimizer/journal',
      '/clone',
    ],
  },
];

const change = { method: 'PATCH', path: '', body: { priority: 7 } };

interface Step {
  caller: Caller;
  what: { method: string; path: string; body?: object } | { again: 'same' | 'clone' };
}

/** A submission with the steps after it. */
interface SubmissionChain {
  list: string;
  value: object;
  submitter: Caller;
  steps: Step[];
}

/** A token. @param byItself whether the token revokes itself */
interface TokenChain {
  byItself: boolean;
}

export type Chain = SubmissionChain | TokenChain;

/** Sends a request, and judges its reply as that of an operation. */
export type Ask = (key: string | undefined, request: FuzzRequest) => Promise<RawReply>;

/**
 * Chains of the examples in the document, and of tokens.
 *
 * @param caller draws a caller
 */
export function chainOf(document: OpenApiDocument, caller: fc.Arbitrary<Caller>): fc.Arbitrary<Chain> {
  const possible = kinds.flatMap(({ list, acts, reads }) => {
    const content = document.paths[list]?.post?.requestBody?.content?.['application/json'];
    return Object.values(content?.examples ?? {}).map(({ value }) => ({
      list,
      acts,
      reads,
      value: value as object,
    }));
  });
  const submission = ({ list, acts, reads, value }: (typeof possible)[number]): fc.Arbitrary<Chain> =>
    fc.record<SubmissionChain>({
      list: fc.constant(list),
      value: fc.constant(value),
      submitter: caller,
      steps: fc.array(
        fc.record({
          caller,
          what: fc.oneof<fc.Arbitrary<Step['what']>[]>(
            fc.constantFrom(...reads).map((path) => ({ method: 'GET', path })),
            fc.constantFrom(...acts).map((act) => ({ method: 'POST', path: `/${act}` })),
            fc.constant(change),
            fc.constantFrom<Step['what'][]>({ again: 'same' }, { again: 'clone' }),
          ),
        }),
        { maxLength: 6 },
      ),
    });
  const tokens = '/api/tokens' in document.paths ? [fc.record<TokenChain>({ byItself: fc.boolean() })] : [];
  return fc.oneof<fc.Arbitrary<Chain>[]>(...possible.map(submission), ...tokens);
}

type Send = (method: string, path: string, body: object | undefined, caller: Caller) => Promise<RawReply>;

/**
 * Sends the requests of a chain, in order.
 *
 * @param admin creates and revokes tokens, and cancels the remaining work at the end
 * @param freshName gives a name that no request has had
 */
export async function runChain(
  document: OpenApiDocument,
  chain: Chain,
  { ask, admin, freshName }: { ask: Ask; admin: Caller; freshName: () => string },
): Promise<void> {
  const send: Send = (method, path, body, caller) =>
    ask(keyOf(document, method.toLowerCase() as Method, path), {
      method,
      path,
      headers: body === undefined ? {} : json,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      caller,
      given: { path: {}, body },
    });
  if ('list' in chain) await submissionChain(send, chain, admin, freshName);
  else await tokenChain(send, chain, admin, freshName());
}

async function submissionChain(
  send: Send,
  { list, value, submitter, steps }: SubmissionChain,
  admin: Caller,
  freshName: () => string,
): Promise<void> {
  const name = freshName();
  const made = [name];
  await send('POST', list, { ...value, name }, submitter);
  for (const { caller, what } of steps) {
    if (!('again' in what)) await send(what.method, `${list}/${name}${what.path}`, what.body, caller);
    else if (what.again === 'same') await send('POST', list, { ...value, name }, caller);
    else {
      const reply = await send('GET', `${list}/${name}/clone`, undefined, admin);
      const clone = valueOf<{ submission?: object }>(reply);
      if (clone?.submission === undefined) continue;
      const copy = freshName();
      made.push(copy);
      await send('POST', list, { ...clone.submission, name: copy }, caller);
    }
  }
  for (const each of made) await send('POST', `${list}/${each}/cancel`, undefined, admin);
}

async function tokenChain(send: Send, { byItself }: TokenChain, admin: Caller, name: string): Promise<void> {
  const reply = await send('POST', '/api/tokens', { name, grants: [{ role: 'submitter' }] }, admin);
  const made = valueOf<{ id: string; token: unknown; grants: NonNullable<Caller['grants']> }>(reply);
  if (typeof made?.token !== 'string') return;
  const headers = { authorization: `Bearer ${made.token}` };
  const own: Caller = { label: 'a token just made', name, grants: made.grants, headers, share: 0 };
  const lost: Caller = { label: 'a token just revoked', headers, share: 0 };
  for (const path of ['/api/me', '/api/tasks', '/api/audit']) await send('GET', path, undefined, own);
  await send('DELETE', `/api/tokens/${made.id}`, undefined, byItself ? own : admin);
  for (const path of ['/api/me', '/api/tasks']) await send('GET', path, undefined, lost);
  await send('POST', '/api/tasks', { name, type: 'none' }, lost);
}

/** The body of a success. */
const valueOf = <T>({ status, body }: RawReply): T | undefined =>
  status >= 200 && status < 300 ? (parsedJson(body) as T | undefined) : undefined;

/** The key of the operation at an address; undefined: there is none. */
function keyOf({ paths }: OpenApiDocument, method: Method, address: string): string | undefined {
  const [path] =
    Object.entries(paths).find(
      ([each, item]) =>
        item[method] !== undefined && new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(address),
    ) ?? [];
  return path === undefined ? undefined : `${method} ${path}`;
}
