import type { RawRequest } from '../shared/raw-sender.js';
import type { Caller } from './people.js';

/** The values of a request before they became text. */
export interface Given {
  path: Record<string, string>;
  query?: Record<string, string>;
  body: unknown;
}

export interface FuzzRequest extends RawRequest {
  headers: Record<string, string>;
  body?: Buffer | undefined;
  caller: Caller;
  given: Given;
}

/** @returns undefined when the text is not JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
