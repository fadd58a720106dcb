import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The blocking client is the asynchronous one without its asynchronous words. Both therefore behave alike, and a correction of one is
 * a correction of both.
 */

/** What is replaced, in this order. A word is replaced only as a whole. */
const words: readonly (readonly [from: RegExp, to: string])[] = [
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bfrom asyncio import sleep\b/g, 'from time import sleep'],
  [/\basynccontextmanager\b/g, 'contextmanager'],
  [/\bAsyncGenerator\[([^\]]+), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsyncGenerator\b/g, 'Generator'],
  [/\bAsyncBaseTransport\b/g, 'BaseTransport'],
  [/\bAsyncClient\b/g, 'Client'],
  [/\baiter_bytes\b/g, 'iter_bytes'],
  [/\baread\b/g, 'read'],
  [/\baclose\b/g, 'close'],
  [/\b__aenter__\b/g, '__enter__'],
  [/\b__aexit__\b/g, '__exit__'],
];

/**
 * @param text a module of `svc_client/aio`
 * @returns its twin in `svc_client/blocking`
 */
export function blockingTwin(text: string, name: string): string {
  const twin = words.reduce((result, [from, to]) => result.replace(from, to), text);
  const left = /\b(?:async|await|asyncio|Async\w+|aio)\b/.exec(twin);
  if (left !== null) throw new Error(`svc_client/aio/${name}: no blocking word for "${left[0]}"`);
  return `# \`npm run docs:reference\` writes this file from svc_client/aio/${name}.\n${twin}`;
}

/** The twins of all modules of a folder, by file name. */
export function blockingTwins(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.py'));
  return Object.fromEntries(
    names.sort().map((name) => [name, blockingTwin(readFileSync(join(folder, name), 'utf8'), name)]),
  );
}
