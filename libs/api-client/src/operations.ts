import type { paths } from './generated.js';

/** Types of operations that the client derives from the generated types. */

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

type PackedPart<O> = O extends { requestBody: { content: { 'application/gzip': string } } }
  ? { packed: Uint8Array<ArrayBuffer> }
  : { packed?: never };

/** The input of an operation: path parameters, query, and body in JSON or CSV, or a packed package. */
export type InputOf<O> = PathPart<O> & QueryPart<O> & BodyPart<O> & CsvPart<O> & PackedPart<O>;

type Success = 200 | 201 | 202;

type JsonOf<R, S> = {
  [Each in keyof R & S]: R[Each] extends { content: { 'application/json': infer T } } ? T : undefined;
}[keyof R & S];

/** The JSON answer of an operation; for an operation with a dry run, the answer of the real request. */
export type AnswerOf<O> = O extends { responses: infer R }
  ? O extends TriedOut
    ? JsonOf<R, 201>
    : JsonOf<R, Success>
  : never;

/** An operation that has a dry run. */
interface TriedOut {
  parameters: { query?: { dry_run?: boolean } };
  responses: { 200: unknown; 201: unknown };
}

/** Paths of operations that have a dry run. */
export type TriedOutPath = {
  [P in PathOf<'post'>]: OperationOf<'post', P> extends TriedOut ? P : never;
}[PathOf<'post'>];

/** The answer of a dry run. */
export type DryRunOf<O> = O extends { responses: infer R } ? JsonOf<R, 200> : never;

/** The items of a list. */
export type ItemOf<O> = AnswerOf<O> extends { items: (infer T)[]; next_cursor: string | null } ? T : never;

/** Paths of lists that have pages. */
export type ListPath = {
  [P in PathOf<'get'>]: [ItemOf<OperationOf<'get', P>>] extends [never] ? never : P;
}[PathOf<'get'>];
