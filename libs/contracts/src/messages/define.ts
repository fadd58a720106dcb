import type { ErrorCode } from '../errors.js';
import type { ZodType } from 'zod';
import { zodSchema, type Schema } from '../schema.js';
import type { ProcessRole } from './process-roles.js';
import { decodeToken, encodeToken } from './subject-tokens.js';

/** The names inside the braces of a subject template: `'a.{b}.{c}'` gives `'b' | 'c'`. */
export type TokensOf<Subject extends string> = Subject extends `${string}{${infer Token}}${infer Rest}`
  ? Token | TokensOf<Rest>
  : never;

export type Tokens<Subject extends string> = { readonly [T in TokensOf<Subject>]: string };

/**
 * The roles that send or hear a message. Each may fix tokens of the subject, to a word or to `itself`: a process of the
 * role uses no other subjects.
 */
export type Parties<Subject extends string> = {
  readonly [R in ProcessRole]?: { readonly [T in TokensOf<Subject>]?: string };
};

/** Who sends a message, and who hears it. */
export interface Way<Subject extends string> {
  readonly from: Parties<Subject>;
  readonly to: Parties<Subject>;
}

export interface RequestDefinition<Subject extends string, Request, Reply> extends Way<Subject> {
  readonly kind: 'request';
  /** Stable name; also the pattern of handlers and the `kind` of the envelope. */
  readonly name: string;
  readonly subject: Subject;
  readonly request: Schema<Request>;
  readonly reply: Schema<Reply>;
  /** Milliseconds for which the caller waits by default. */
  readonly timeoutMs: number;
  /** True: the handler changes nothing, so the request may be sent again although it was answered before. */
  readonly readOnly?: boolean;
  /** True: a person acts. The leading orchestrator refuses the request without the signature of a gateway. */
  readonly act?: boolean;
  /** The errors that a handler may answer, in addition to those of the bus. */
  readonly errors: readonly ErrorCode[];
}

export interface EventDefinition<Subject extends string, Body> extends Way<Subject> {
  readonly kind: 'event';
  readonly name: string;
  readonly subject: Subject;
  readonly body: Schema<Body>;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- the only honest bound for "a definition of anything" */
export type AnyRequest = RequestDefinition<any, any, any>;
export type AnyEvent = EventDefinition<any, any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

export type RequestOf<D extends AnyRequest> =
  D extends RequestDefinition<string, infer R, unknown> ? R : never;
export type ReplyOf<D extends AnyRequest> = D extends RequestDefinition<string, unknown, infer R> ? R : never;
export type BodyOf<D extends AnyEvent> = D extends EventDefinition<string, infer B> ? B : never;

/** Declares a request that gets exactly one reply. Delivery is at most once. */
export function defineRequest<Subject extends string, Request, Reply>(
  definition: Omit<RequestDefinition<Subject, Request, Reply>, 'kind'>,
): RequestDefinition<Subject, Request, Reply> {
  return { kind: 'request', ...definition };
}

type Nature = Pick<AnyRequest, 'readOnly' | 'act'>;

/**
 * Makes a function that declares the requests of one part of the service. Its arguments are the end of the subject, the
 * shapes of request and reply, the errors that a handler may answer in addition to those of the bus (default: none), and
 * the milliseconds for which the caller waits (default: 10 s).
 *
 * @param subject the beginning of every subject
 * @param name the beginning of every name; the end of the subject without its tokens follows
 * @param nature what else holds for all of them: who sends them and who answers, whether they only read, and whether a person acts
 */
export const requestsOf =
  <Beginning extends string>(subject: Beginning, name: string, nature: Way<Beginning> & Nature) =>
  <End extends string, Request, Reply>(
    end: End,
    request: ZodType<Request> | Schema<Request>,
    reply: ZodType<Reply> | Schema<Reply>,
    errors: readonly ErrorCode[] = [],
    timeoutMs = 10_000,
  ): RequestDefinition<`${Beginning}${End}`, Request, Reply> => ({
    // The tokens of the beginning are tokens of the whole subject.
    ...(nature as Way<`${Beginning}${End}`> & Nature),
    kind: 'request',
    name: name + end.replace(/\{\w+\}\./g, ''),
    subject: `${subject}${end}`,
    request: schemaOf(request),
    reply: schemaOf(reply),
    timeoutMs,
    errors,
  });

const toLeader = { from: { gateway: {} }, to: { orchestrator: {} } };

/** Declares a request of a person to the leading orchestrator that changes something. */
export const orchestratorRequest = requestsOf('svc.v1.orchestrator.', '', { ...toLeader, act: true });

/** Declares such a request that needs no signature, because everybody may do it. */
export const openRequest = requestsOf('svc.v1.orchestrator.', '', toLeader);

/** Declares a request of a person to the leading orchestrator that only reads. */
export const orchestratorQuery = requestsOf('svc.v1.orchestrator.', '', { ...toLeader, readOnly: true });

function schemaOf<T>(shape: ZodType<T> | Schema<T>): Schema<T> {
  return 'safeParse' in shape ? zodSchema(shape) : shape;
}

/** Declares a lossy notification. No guarantee may depend on its arrival. */
export function defineEvent<Subject extends string, Body>(
  definition: Omit<EventDefinition<Subject, Body>, 'kind'>,
): EventDefinition<Subject, Body> {
  return { kind: 'event', ...definition };
}

/** The subject of a definition with its tokens filled in. A missing token becomes the wildcard `*`. */
export function subjectOf<Subject extends string>(
  definition: { readonly subject: Subject },
  tokens: Partial<Tokens<Subject>>,
): string {
  const values = tokens as Record<string, string | undefined>;
  let subject = '';
  for (const { text, token } of partsOf(definition)) {
    const value = token === undefined ? undefined : values[token];
    const part = token === undefined ? text : value === undefined ? '*' : encodeToken(value);
    subject = subject === '' ? part : `${subject}.${part}`;
  }
  return subject;
}

/** The tokens of a definition in a concrete subject. */
export function tokensOf<Subject extends string>(
  definition: { readonly subject: Subject },
  subject: string,
): Tokens<Subject> {
  const given = subject.split('.');
  const tokens: Record<string, string> = {};
  partsOf(definition).forEach(({ token }, index) => {
    if (token !== undefined) tokens[token] = decodeToken(given[index] ?? '');
  });
  return tokens as Tokens<Subject>;
}

interface SubjectPart {
  text: string;
  /** Name of the token that the part stands for; undefined: the part is a word. */
  token: string | undefined;
}

const knownParts = new WeakMap<object, readonly SubjectPart[]>();

/** The parts of the subject template of a definition. */
function partsOf(definition: { readonly subject: string }): readonly SubjectPart[] {
  const known = knownParts.get(definition);
  if (known !== undefined) return known;
  const parts = definition.subject.split('.').map((text) => ({ text, token: /^\{(\w+)\}$/.exec(text)?.[1] }));
  knownParts.set(definition, parts);
  return parts;
}
