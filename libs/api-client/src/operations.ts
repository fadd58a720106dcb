import type { paths } from './generated.js';

/** What the generated types say of the operations, as the client needs it. */

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths that have an operation of the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: object }> ? P : never;
}[keyof paths];

export type OperationOf<M extends Method, P extends PathOf<M>> =
  paths[P] extends Record<M, infer O> ? O : never;

type PathPart<O> = O extends { parameters: { path: infer T extends object } }
  ? { path: T }
  : { path?: never };

type QueryPart<O> = O extends { parameters: { query?: infer T } }
  ? [NonNullable<T>] extends [never]
    ? { query?: never }
    : { query?: NonNullable<T> }
  : { query?: never };

type BodyPart<O> = O extends { requestBody: { content: { 'application/json': infer T } } }
  ? { body: T }
  : O extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { 'application/json': infer T } }
      ? [NonNullable<R>] extends [never]
        ? { body?: never }
        : { body?: T }
      : { body?: never }
    : { body?: never };

type CsvPart<O> = O extends { requestBody: { content: { 'text/csv': string } } }
  ? { csv: string }
  : { csv?: never };

/** What an operation takes from a caller: its place in the path, its query and its body, in JSON or as CSV. */
export type InputOf<O> = PathPart<O> & QueryPart<O> & BodyPart<O> & CsvPart<O>;

type Success = 200 | 201 | 202;

type JsonOf<R, S> = {
  [Each in keyof R & S]: R[Each] extends { content: { 'application/json': infer T } } ? T : undefined;
}[keyof R & S];

/** What an operation answers with in JSON; of one that can be tried out, what it answers with when it is meant. */
export type AnswerOf<O> = O extends { responses: infer R }
  ? O extends TriedOut
    ? JsonOf<R, 201>
    : JsonOf<R, Success>
  : never;

/** An operation that makes something, or only says what it would. */
interface TriedOut {
  parameters: { query?: { dry_run?: boolean } };
  responses: { 200: unknown; 201: unknown };
}

/** Paths of what can be tried out. */
export type TriedOutPath = {
  [P in PathOf<'post'>]: OperationOf<'post', P> extends TriedOut ? P : never;
}[PathOf<'post'>];

/** What is answered when it is only tried out. */
export type DryRunOf<O> = O extends { responses: infer R } ? JsonOf<R, 200> : never;

/** What the pages of a list hold. */
export type ItemOf<O> = AnswerOf<O> extends { items: (infer T)[]; next_cursor: string | null } ? T : never;

/** Paths of lists that are answered page by page. */
export type ListPath = {
  [P in PathOf<'get'>]: [ItemOf<OperationOf<'get', P>>] extends [never] ? never : P;
}[PathOf<'get'>];
