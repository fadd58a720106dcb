import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { ExchangeError, messageOf } from '../errors/index.js';
import { excerpt, fill, fillText, holds, takeAnswer, valueAt } from '../messages/index.js';
import type { AnswerSpec, Ask } from '../messages/index.js';
import type { HttpAnswer, HttpRequest } from './http-port.js';
import type { RequestTemplate, WaitEntry } from './settings.js';

/** What a call of a function requests. */
export interface Operation {
  request: RequestTemplate;
  answer: AnswerSpec | undefined;
  wait: WaitEntry | undefined;
  /** Headers that every request of the function has, which depend on the call. */
  headers: () => Record<string, string>;
}

export interface Base {
  /** Path of `url`, without a slash at the end. */
  path: string;
  /** `https://reader.lab:8443` */
  origin: string;
}

/**
 * Carries a call out: makes its request once, waits for the end of what it began, and takes the answer.
 *
 * @throws Error with the status and the begin of the body
 */
export async function carryOut(
  { request, answer: spec, wait, headers }: Operation,
  base: Base,
  given: JsonObject,
  ask: Ask,
  signal: AbortSignal,
): Promise<JsonValue> {
  const begun = await send(requestOf(request, base, given, headers()), ask);
  refuse(request, begun);
  const last = await ended({ request, wait, begun, base, given }, ask, signal);
  return takeAnswer(spec, last.body);
}

/** A request with the arguments at their places. */
export function requestOf(
  { method, path, query, headers, body }: RequestTemplate,
  base: Base,
  values: JsonObject,
  more: Record<string, string> = {},
): HttpRequest {
  const search = new URLSearchParams();
  for (const [key, template] of Object.entries(query)) {
    const value = fill(template as JsonValue, values);
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      search.append(key, typeof each === 'object' ? JSON.stringify(each) : String(each));
    }
  }
  const filledHeaders: Record<string, string> = { ...more };
  for (const [key, template] of Object.entries(headers)) {
    filledHeaders[key] = fillText(template, values, oneLine);
  }
  const filledBody = body === undefined ? undefined : fill(body as JsonValue, values);
  const encoded = fillText(path, values, (value) => encodeURIComponent(value));
  const separator = path.includes('?') ? '&' : '?';
  return {
    method,
    path: `${base.path}${encoded}${search.size === 0 ? '' : `${separator}${search.toString()}`}`,
    ...(Object.keys(filledHeaders).length === 0 ? {} : { headers: filledHeaders }),
    ...(filledBody === undefined ? {} : { body: filledBody }),
  };
}

function oneLine(value: string | number | boolean): string {
  const text = String(value);
  if (/[\r\n]/.test(text)) throw new TypeError('an argument that becomes a header must be one line');
  return text;
}

const send = async (request: HttpRequest, ask: Ask): Promise<HttpAnswer> =>
  (await ask(request)) as HttpAnswer;

/** @throws Error when the answer is no success */
function refuse(
  { method, path }: Pick<RequestTemplate, 'method' | 'path'>,
  { status, headers, body }: HttpAnswer,
): void {
  if (status >= 200 && status < 300) return;
  const where = (headers as JsonObject | undefined)?.['location'];
  const hint =
    status === 401 || status === 403
      ? ' (is the secret in init_parameters.auth right, and may it do this?)'
      : typeof where === 'string'
        ? ` (it leads to ${where}; redirections are not followed: write that address)`
        : '';
  const said = body === null ? '' : `: ${excerpt(body, 300)}`;
  throw new ExchangeError(`${method} ${path} was answered with ${status}${hint}${said}`);
}

interface Begun {
  request: RequestTemplate;
  wait: WaitEntry | undefined;
  begun: HttpAnswer;
  base: Base;
  given: JsonObject;
}

/** The answer with which an operation has ended. It lasts as long as the call may take. */
async function ended(
  { request, wait, begun, base, given }: Begun,
  ask: Ask,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const next = following(wait, begun, base, given);
  if (next === null) return begun;
  let last = begun;
  for (;;) {
    await pause(secondsTo(last, wait) * 1000, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
    let answer: HttpAnswer;
    try {
      answer = await send(next, ask);
    } catch (error) {
      if (signal.aborted) throw error;
      // The operation goes on at the instrument. Its state is asked again when the connection is back.
      continue;
    }
    const location = locationOf(answer, base);
    if (answer.status === 303 && location !== null) {
      const result = await send({ method: 'GET', path: location }, ask);
      refuse({ method: 'GET', path: location }, result);
      return result;
    }
    refuse({ method: 'GET', path: next.path }, answer);
    if (wait?.failed !== undefined && holds(wait.failed, answer.body)) {
      const why = valueAt(answer.body, wait.reason ?? '') ?? null;
      throw new ExchangeError(
        `${request.method} ${request.path} began, and the operation failed: ${excerpt(why, 300)}`,
      );
    }
    if (wait?.done === undefined ? answer.status !== 202 : holds(wait.done, answer.body)) return answer;
    last = answer;
  }
}

/** The request that asks for the state of an operation; null: the operation ended with its first answer. */
function following(
  wait: WaitEntry | undefined,
  begun: HttpAnswer,
  base: Base,
  given: JsonObject,
): HttpRequest | null {
  if (wait?.request !== undefined) return requestOf(wait.request, base, { ...given, answer: begun.body });
  if (begun.status !== 202 && wait === undefined) return null;
  const path = locationOf(begun, base);
  if (path !== null) return { method: 'GET', path };
  if (wait === undefined) return null;
  throw new ExchangeError(
    `the answer has the status ${begun.status} and no Location to ask for the state of the operation: declare wait.request`,
  );
}

/** @throws Error when the address is that of another server, which must not get the secrets of this one */
function locationOf({ headers }: HttpAnswer, base: Base): string | null {
  const location = (headers as JsonObject | undefined)?.['location'];
  if (typeof location !== 'string') return null;
  let url: URL;
  try {
    url = new URL(location, `${base.origin}${base.path}/`);
  } catch (error) {
    throw new ExchangeError(`the Location ${location} is no address: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (url.origin === base.origin) return `${url.pathname}${url.search}`;
  throw new ExchangeError(
    `the Location ${location} is on another server than ${base.origin}, and is not followed`,
  );
}

function secondsTo({ headers }: HttpAnswer, wait: WaitEntry | undefined): number {
  const after = Number((headers as JsonObject | undefined)?.['retry-after']);
  return Number.isFinite(after) && after > 0 ? after : (wait?.every ?? 1);
}
