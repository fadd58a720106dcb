// Requests that build on each other: what was submitted is read, paused, changed, cancelled and submitted again, by who
// may and by who may not; a token is made, used, revoked, and used again.
import fc from 'fast-check';

const json = { 'content-type': 'application/json' };

/** Where the things of one kind are, what may be done to one, and what may be asked of it. */
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
    reads: ['', '/trials', '/runs', '/runs.csv', '/parameters.csv', '/optimizer', '/clone'],
  },
];

const change = { method: 'PATCH', path: '', body: { priority: 7 } };

/**
 * A kind, which of its examples is submitted, and what is done to it then; or a token. A step is by one of those who ask.
 *
 * @param caller draws one
 */
export function chainOf(document, caller) {
  const possible = kinds.flatMap(({ list, acts, reads }) => {
    const content = document.paths[list]?.post?.requestBody?.content?.['application/json'];
    return Object.values(content?.examples ?? {}).map(({ value }) => ({ list, acts, reads, value }));
  });
  const submission = ({ list, acts, reads, value }) =>
    fc.record({
      list: fc.constant(list),
      value: fc.constant(value),
      submitter: caller,
      steps: fc.array(
        fc.record({
          caller,
          what: fc.oneof(
            fc.constantFrom(...reads).map((path) => ({ method: 'GET', path })),
            fc.constantFrom(...acts).map((act) => ({ method: 'POST', path: `/${act}` })),
            fc.constant(change),
            fc.constantFrom({ again: 'same' }, { again: 'clone' }),
          ),
        }),
        { maxLength: 6 },
      ),
    });
  const tokens = '/api/tokens' in document.paths ? [fc.record({ token: fc.boolean() })] : [];
  return fc.oneof(...possible.map(submission), ...tokens);
}

/**
 * Sends the requests of a chain, in order.
 *
 * @param ask sends a request that means an operation, as somebody, and gives the reply
 * @param admin who makes and revokes tokens, and cancels at the end what is left
 */
export async function runChain(document, chain, { ask, admin, freshName }) {
  const send = (method, path, body, caller) =>
    ask(keyOf(document, method.toLowerCase(), path), {
      method,
      path,
      headers: body === undefined ? {} : json,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      caller,
      given: { path: {}, body },
    });
  if (chain.list === undefined) await tokenChain(send, chain.token, admin, freshName());
  else await submissionChain(send, chain, admin, freshName);
}

async function submissionChain(send, { list, value, submitter, steps }, admin, freshName) {
  const name = freshName();
  const made = [name];
  await send('POST', list, { ...value, name }, submitter);
  for (const { caller, what } of steps) {
    if (what.again === 'same') await send('POST', list, { ...value, name }, caller);
    else if (what.again === 'clone') {
      const clone = parsed(await send('GET', `${list}/${name}/clone`, undefined, admin));
      if (clone?.submission === undefined) continue;
      made.push(freshName());
      await send('POST', list, { ...clone.submission, name: made.at(-1) }, caller);
    } else await send(what.method, `${list}/${name}${what.path}`, what.body, caller);
  }
  for (const each of made) await send('POST', `${list}/${each}/cancel`, undefined, admin);
}

/** @param byItself whether it is revoked with itself */
async function tokenChain(send, byItself, admin, name) {
  const made = parsed(await send('POST', '/api/tokens', { name, grants: [{ role: 'submitter' }] }, admin));
  if (typeof made?.token !== 'string') return;
  const headers = { authorization: `Bearer ${made.token}` };
  const own = { label: 'a token just made', name, grants: made.grants, headers };
  const lost = { label: 'a token just revoked', headers };
  for (const path of ['/api/me', '/api/tasks', '/api/audit']) await send('GET', path, undefined, own);
  await send('DELETE', `/api/tokens/${made.id}`, undefined, byItself ? own : admin);
  for (const path of ['/api/me', '/api/tasks']) await send('GET', path, undefined, lost);
  await send('POST', '/api/tasks', { name, type: 'none' }, lost);
}

function parsed({ status, body }) {
  return status >= 200 && status < 300 && body !== '' ? JSON.parse(body) : undefined;
}

/** The operation of the document that an address means; undefined: none. */
function keyOf(document, method, address) {
  const path = Object.keys(document.paths).find(
    (each) =>
      document.paths[each][method] !== undefined &&
      new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(address),
  );
  return path === undefined ? undefined : `${method} ${path}`;
}
