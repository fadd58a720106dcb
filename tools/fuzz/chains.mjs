// Requests that build on each other: what was submitted is read, paused, changed, cancelled, and asked for again.
import fc from 'fast-check';

const submit = { 'content-type': 'application/json' };

/** Where the things of one kind are, and what may be done to one. */
const kinds = [
  { list: '/api/tasks', acts: ['cancel'], reads: ['', '/attempts', '/files/none.txt'] },
  { list: '/api/protocols', acts: ['pause', 'resume', 'cancel'], reads: ['', '/tasks'] },
  { list: '/api/campaigns', acts: ['pause', 'resume', 'cancel'], reads: ['', '/trials', '/optimizer'] },
];

/** A kind, which of its examples is submitted, and what is done to it then; it ends with a cancel. */
export function chainOf(document) {
  const possible = kinds.flatMap(({ list, acts, reads }) => {
    const content = document.paths[list]?.post?.requestBody?.content?.['application/json'];
    return Object.values(content?.examples ?? {}).map(({ value }) => ({ list, acts, reads, value }));
  });
  const step = ({ list, acts, reads, value }) =>
    fc.record({
      list: fc.constant(list),
      value: fc.constant(value),
      steps: fc.array(
        fc.oneof(
          fc.constantFrom(...reads).map((path) => ({ method: 'GET', path })),
          fc.constantFrom(...acts).map((act) => ({ method: 'POST', path: `/${act}` })),
          fc.constant({ method: 'POST', path: '', again: true }),
        ),
        { maxLength: 5 },
      ),
    });
  return fc.oneof(...possible.map(step));
}

/** The requests of a chain, in order, with the operation that each one means. */
export function* requestsOf(document, { list, value, steps }, name) {
  const body = Buffer.from(JSON.stringify({ ...value, name }));
  const whole = [{ method: 'POST', path: '', again: true }, ...steps, { method: 'POST', path: '/cancel' }];
  for (const { method, path, again } of whole) {
    const address = again === true ? list : `${list}/${name}${path}`;
    yield {
      key: keyOf(document, method.toLowerCase(), address),
      request:
        again === true
          ? { method, path: address, headers: submit, body }
          : { method, path: address, headers: {} },
    };
  }
}

/** The operation of the document that an address means; undefined: none. */
function keyOf(document, method, address) {
  const path = Object.keys(document.paths).find(
    (each) =>
      method in document.paths[each] &&
      new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(address) &&
      document.paths[each][method] !== undefined,
  );
  return path === undefined ? undefined : `${method} ${path}`;
}
