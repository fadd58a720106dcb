import type { ErrorCode } from '@lab/contracts';
import { applyDecorators, HttpCode, Post, SetMetadata } from '@nestjs/common';
import { documented } from './documented.js';
import { inputsOf, type Inputs } from './inputs.js';
import { json, listOf, pageOf, ref } from './schemas.js';

/** An answer that is no error. */
export interface Answer {
  description: string;
  /** By media type; absent: the answer has no body. */
  content?: Record<string, object>;
  headers?: Record<string, object>;
}

/** What the OpenAPI document says about a route beside its summary and its answer. */
export interface OperationDetails {
  description?: string;
  /** Group of operations; default: that of `@Group` at the controller. */
  tag?: string;
  /** Status of the answer; default: that of `@HttpCode`, else 201 for POST and 200 for the rest. */
  status?: number;
  /** True: the answer has the path of the new record in the header `Location`. */
  location?: boolean;
  /** Other answers that are no errors, by status. */
  further?: Record<number, Answer>;
  /**
   * Errors beside those that follow from the method, the body, the path and the query. Default for GET:
   * `store_unavailable`.
   */
  problems?: readonly ErrorCode[];
  /** Content that an error answer may have instead of a problem document, by status. */
  problemContent?: Record<number, Record<string, object>>;
  /** OpenAPI parameters that the handler reads from the request itself, such as headers. */
  parameters?: readonly object[];
}

export type OperationDescription = OperationDetails & { answer: Answer; inputs: Inputs };

/** Key under which the document of Nest has an {@link OperationDescription}. */
export const operationExtension = 'x-operation';

/**
 * Describes a route beside its handler. The group, the parameters, the body, the status and the errors that every route of
 * its kind has follow from the handler. A route without it fails the build of the document.
 */
export function Operation(summary: string, answer: Answer, details: OperationDetails = {}): MethodDecorator {
  return (target, key, descriptor) => {
    const { description } = details;
    const inputs = inputsOf(descriptor.value as object);
    const operation: OperationDescription = { ...details, answer, inputs };
    applyDecorators(
      documented(({ ApiOperation }) =>
        ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
      ),
      documented(({ ApiExtension }) => ApiExtension(operationExtension, operation)),
    )(target, key, descriptor);
  };
}

/** A handler of POST that creates no record. */
export const Action = (path: string, status: 200 | 202 = 200): MethodDecorator =>
  applyDecorators(Post(path), HttpCode(status));

const answerOf =
  (schemaOf: (name: string) => object) =>
  (schema: string, description: string): Answer => ({ description, content: json(schemaOf(schema)) });

/**
 * An answer with server-sent events.
 *
 * @param type of the event in the example
 * @param schema of the data of an event; the document makes the example of it
 */
export const eventStream = (description: string, type: string, schema: string): Answer => ({
  description,
  content: { 'text/event-stream': { schema: { type: 'string' }, example: { type, data: ref(schema) } } },
});

/** An answer with one record, with all records of a list, or with one page of a list. */
export const record = answerOf(ref);
export const recordList = answerOf(listOf);
export const page = answerOf(pageOf);

/** Errors of a handler that asks the orchestrator. */
export const fromOrchestrator: readonly ErrorCode[] = ['disconnected', 'deadline_exceeded'];

export const unlistedKey = 'svc:unlisted';

/** Marks a controller that serves pages and no interface: it is not in the document, and takes any query. */
export const Unlisted = (): ClassDecorator =>
  applyDecorators(
    documented(({ ApiExcludeController }) => ApiExcludeController()),
    SetMetadata(unlistedKey, true),
  );
