import { readFileSync } from 'node:fs';
import type { JsonObject } from '@lab/sdk';

/** The lines of an NDJSON file. */
export const readLines = (path: string): JsonObject[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JsonObject);
