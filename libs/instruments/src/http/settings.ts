import { z } from 'zod';
import {
  answerSpec,
  condition,
  deviceSettings,
  secretSource,
  tlsSettings,
  twinEntry,
} from '../messages/index.js';
import { functionEntry } from '../settings/index.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A request. Places such as `{volume}` are arguments of the function. */
export const requestTemplate = z.strictObject({
  method: z.enum(methods).default('GET'),
  /** Below `url`, with a slash at the begin. Arguments are encoded. */
  path: z.string().startsWith('/'),
  query: z.record(z.string(), z.json()).default({}),
  headers: z.record(z.string(), z.string()).default({}),
  /** A JSON value, or a text. */
  body: z.json().optional(),
});

export type RequestTemplate = z.output<typeof requestTemplate>;

/** How the end of an operation is seen that goes on after its first answer. */
export const waitEntry = z.strictObject({
  /** Asks for the state; `{answer.…}` are values of the first answer. Absent: the Location of the first answer. */
  request: requestTemplate.optional(),
  /** Absent: the operation has ended when the status of the answer is not 202. */
  done: condition.optional(),
  failed: condition.optional(),
  /** Where the answer says why the operation failed. */
  reason: z.string().optional(),
  /** Seconds between two requests, unless the answer has `Retry-After`. */
  every: z.number().positive().default(1),
});

export type WaitEntry = z.output<typeof waitEntry>;

const shared = {
  /** Default: query for GET and HEAD, idempotent for PUT and DELETE, else effect. */
  kind: functionEntry.shape.kind.optional(),
  answer: answerSpec.optional(),
  wait: waitEntry.optional(),
  twin: twinEntry.optional(),
};

/** A function that is declared by hand. */
const byHand = functionEntry.extend({ ...shared, request: requestTemplate });

/** Changes a function of the OpenAPI document, and gives it this name. */
const ofDocument = z.strictObject({
  ...shared,
  /** The operationId, or method and path, as in `POST /tare`. */
  operation: z.string(),
  desc: functionEntry.shape.desc,
  timeout: functionEntry.shape.timeout,
});

export const httpFunction = z.union([byHand, ofDocument]);

export type HttpFunction = z.output<typeof httpFunction>;
export type HandFunction = z.output<typeof byHand>;
export type DocumentFunction = z.output<typeof ofDocument>;

export const httpSettings = deviceSettings.extend({
  /** Where all paths begin: `https://reader.lab:8443/api`. */
  url: z.url({ protocol: /^https?$/, error: 'is an address such as https://reader.lab:8443/api' }),
  tls: tlsSettings.optional(),
  auth: z
    .union(
      [
        z.strictObject({ bearer: secretSource }),
        z.strictObject({ user: z.string(), password: secretSource }),
        z.strictObject({ header: z.string().regex(/^[\w-]+$/), value: secretSource }),
      ],
      {
        error:
          'is { bearer: SECRET }, { user: NAME, password: SECRET } or { header: NAME, value: SECRET }, where SECRET is { file: PATH } or { env: NAME }',
      },
    )
    .optional(),
  /** What the peer must answer, so that it is the right one. */
  identity: z
    .strictObject({
      ...requestTemplate.pick({ path: true }).shape,
      value: z.string().default(''),
      equals: z.json(),
    })
    .optional(),
  /** Seconds that one request may take. A call may make several. */
  request_timeout: z.number().positive().max(3600).default(20),
  /** Name of the header that carries the id of the call with all requests that are no queries. */
  idempotency_header: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  openapi: z
    .strictObject({
      /** One of both: a file on the computer of the device, or an address. */
      file: z.string().optional(),
      url: z.url({ protocol: /^https?$/ }).optional(),
      /** SHA-256 of the document. */
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/i)
        .optional(),
      /** The operations that become functions, besides those that `functions` names. */
      operations: z.union([z.enum(['all', 'none']), z.array(z.string())]).default('all'),
    })
    .refine(({ file, url }) => (file === undefined) !== (url === undefined), {
      error: 'has either a file or a url',
    })
    .optional(),
  functions: z.record(z.string(), httpFunction).default({}),
  /** Queries without arguments whose values people see. */
  report: z.array(z.string()).default([]),
});

export type HttpSettings = z.output<typeof httpSettings>;

/** The default kind of a method. */
export function kindOf(method: string): 'query' | 'idempotent' | 'effect' {
  if (method === 'GET' || method === 'HEAD') return 'query';
  return method === 'PUT' || method === 'DELETE' ? 'idempotent' : 'effect';
}
