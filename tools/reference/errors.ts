import { errorCatalogue } from '@lab/contracts';

/** The error catalogue as a page. */
export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).sort(
    ([a, one], [b, other]) => one.status - other.status || a.localeCompare(b),
  );
  return [
    '# Errors\n',
    'The service reports every error as a problem document (RFC 9457, `application/problem+json`). `code` is one of the codes',
    'below and never changes; `title` and `detail` are written for people and may change. The code determines the HTTP status. A',
    '`Retry-After` header says that nothing was done and when to retry. For a request that acts, `effect` says what is known',
    'of the action: `none`, `maybe` or `done`. A program may send the request again only after `none`. `errors` lists each',
    'fault of an invalid request with its path. `npm run docs:reference` generates this page from `libs/contracts/src/errors.ts`.\n',
    '| code | status | retry | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ([code, { status, retryable, title }]) =>
        `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title} |`,
    ),
    '',
  ].join('\n');
}
