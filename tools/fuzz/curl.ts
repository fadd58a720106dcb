import { parsedJson, type FuzzRequest } from './request.js';

/** Shrinks a request with a fault, and writes it as a shell command. */

/** Most requests that shrinking sends. */
const mostTries = 80;
const longestShown = 2_000;

/**
 * The smallest request that has the same fault; the given request when the fault does not occur again.
 *
 * @param hasFault sends a request and says whether it has the same fault
 */
export async function shrunk(
  request: FuzzRequest,
  hasFault: (request: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let tries = 1;
  if (!(await hasFault(request))) return request;
  let smallest = request;
  for (let found = true; found;) {
    found = false;
    for (const smaller of smallerThan(smallest)) {
      if (tries >= mostTries) return smallest;
      tries += 1;
      if (!(await hasFault(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(request: FuzzRequest): Iterable<FuzzRequest> {
  const { path, headers, body } = request;
  const query = path.indexOf('?');
  if (query !== -1) {
    yield { ...request, path: path.slice(0, query) };
    const pairs = path.slice(query + 1).split('&');
    if (pairs.length > 1)
      for (let index = 0; index < pairs.length; index += 1)
        yield { ...request, path: `${path.slice(0, query)}?${pairs.toSpliced(index, 1).join('&')}` };
  }
  for (const name of Object.keys(headers))
    yield {
      ...request,
      headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
    };
  if (body === undefined) return;
  yield { ...request, body: undefined };
  const value = parsedJson(body.toString());
  if (value === undefined && body.length > 1)
    yield { ...request, body: body.subarray(0, Math.floor(body.length / 2)) };
  for (const smaller of smallerValues(value))
    yield { ...request, body: Buffer.from(JSON.stringify(smaller)) };
}

/** The value with one part removed or shortened, the largest cuts first. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (typeof value === 'string') {
    if (value.length > 1) yield value.slice(0, Math.floor(value.length / 2));
  } else if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, Math.floor(value.length / 2));
    for (let index = 0; index < Math.min(value.length, 10); index += 1) yield value.toSpliced(index, 1);
    for (const [index, each] of value.slice(0, 10).entries())
      for (const smaller of smallerValues(each)) yield value.with(index, smaller);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 3) yield Object.fromEntries(entries.slice(0, Math.floor(entries.length / 2)));
    for (let index = 0; index < Math.min(entries.length, 20); index += 1)
      yield Object.fromEntries(entries.toSpliced(index, 1));
    for (const [name, field] of entries.slice(0, 20))
      for (const smaller of smallerValues(field))
        yield Object.fromEntries(entries.map(([key, each]) => [key, key === name ? smaller : each]));
  }
}

/** A shell command that sends the request with the token in `SVC_TOKEN`. A comment names the caller. */
export function curlOf({ method, path, headers, body, caller }: FuzzRequest): string {
  const parts = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '--path-as-is',
    `"$SVC_URL"${quoted(path.slice(0, longestShown))}`,
    ...(caller.headers.authorization === undefined ? [] : ['-H "Authorization: Bearer $SVC_TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quotedBytes(body)}`]),
  ];
  const bytes = body?.length ?? 0;
  const cut = bytes > longestShown ? ` (the first of ${bytes} bytes)` : '';
  return `curl ${parts.join(' ')}  # as ${caller.label}${cut}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Bytes that are not text become escapes of the shell. */
function quotedBytes(body: Buffer): string {
  const shown = body.subarray(0, longestShown);
  const text = shown.toString();
  // eslint-disable-next-line no-control-regex -- characters that a terminal does not show
  if (!/[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/.test(text)) return quoted(text);
  return `$'${[...shown].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;
}
