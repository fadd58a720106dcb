import { errorCatalogue } from '@lab/contracts';

/** The error catalogue as a page. */
export function errorsPage() {
  const rows = Object.entries(errorCatalogue).sort(
    ([a, one], [b, other]) => one.status - other.status || a.localeCompare(b),
  );
  return [
    '# Errors\n',
    'Every error is answered as a problem document (RFC 9457, `application/problem+json`). Its `code` is one of these and never',
    'changes; `title` and `detail` are for people and may. The HTTP status follows from the code. What may be retried has a',
    '`Retry-After` header when nothing was done. Of a request that acts, `effect` says what is known of what it did: `none`,',
    '`maybe` or `done`; a machine may send it again only with `none`. `errors` lists each fault of an invalid request with its',
    'path. This page is made of `libs/contracts/src/errors.ts` by `npm run docs:reference`.\n',
    '| code | status | may be retried | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ([code, { status, retryable, title }]) =>
        `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title} |`,
    ),
    '',
  ].join('\n');
}
