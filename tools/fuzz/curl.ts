// A request that went wrong, as small as it goes wrong, and as a command that repeats it.

/** Tries at most, for one request. */
const mostTries = 80;
const longestShown = 2_000;

/**
 * The smallest request found that still goes wrong; the one given, when that goes wrong only once.
 *
 * @param isWrong sends a request and tells whether it goes wrong in the same way
 */
export async function shrunk(request, isWrong) {
  let tries = 1;
  if (!(await isWrong(request))) return request;
  let smallest = request;
  for (let found = true; found;) {
    found = false;
    for (const smaller of smallerThan(smallest)) {
      if (tries >= mostTries) return smallest;
      tries += 1;
      if (!(await isWrong(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(request) {
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
  let value;
  try {
    value = JSON.parse(body.toString());
  } catch {
    if (body.length > 1) yield { ...request, body: body.subarray(0, Math.floor(body.length / 2)) };
    return;
  }
  for (const smaller of smallerValues(value))
    yield { ...request, body: Buffer.from(JSON.stringify(smaller)) };
}

/** The value with one thing in it gone or shorter, the largest cuts first. */
function* smallerValues(value) {
  if (typeof value === 'string') {
    if (value.length > 1) yield value.slice(0, Math.floor(value.length / 2));
  } else if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, Math.floor(value.length / 2));
    for (let index = 0; index < Math.min(value.length, 10); index += 1) yield value.toSpliced(index, 1);
    for (let index = 0; index < Math.min(value.length, 10); index += 1)
      for (const smaller of smallerValues(value[index])) yield value.with(index, smaller);
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

/** A command of a shell that sends the request, with whatever token `SVC_TOKEN` holds: it says whose that was. */
export function curlOf({ method, path, headers, body, caller }) {
  const parts = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '--path-as-is',
    `"$SVC_URL"${quoted(path.slice(0, longestShown))}`,
    ...(caller.headers.authorization === undefined ? [] : ['-H "Authorization: Bearer $SVC_TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quotedBytes(body)}`]),
  ];
  const cut =
    (body?.length ?? 0) > longestShown ? ` (${body.length} bytes, of which the first are shown)` : '';
  return `curl ${parts.join(' ')}  # as ${caller.label}${cut}`;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Bytes that are no text are written as the shell writes them. */
function quotedBytes(body) {
  const shown = body.subarray(0, longestShown);
  const text = shown.toString();
  // eslint-disable-next-line no-control-regex -- what a terminal would not show
  if (!/[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/.test(text)) return quoted(text);
  return `$'${[...shown].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;
}
