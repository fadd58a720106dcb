import type { ErrorCode } from '@lab/contracts';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExcludeController, ApiExtension, ApiOperation } from '@nestjs/swagger';
import { inputsOf, type Inputs } from './inputs.js';
import { json, listOf, pageOf, ref } from './schemas.js';

/** An answer that is no error. */
export interface Answer {
  description: string;
  /** By media type; absent: the answer has no body. */
  content?: Record<string, object>;
  headers?: Record<string, object>;
}

/** What the OpenAPI document says about a route that does not follow from its handler. */
export interface OperationText {
  summary: string;
  description?: string;
  /** Group of operations; default: that of `@ApiTags` at the controller. */
  tag?: string;
  answer: Answer;
  /** Status of the answer; default: that of `@HttpCode`, else 201 for POST and 200 for the rest. */
  status?: number;
  /** True: the answer has the path of the new record in the header `Location`. */
  location?: boolean;
  /** Other answers that are no errors, by status. */
  further?: Record<number, Answer>;
  /** Errors beside those that follow from the method, the body, the path and the query. */
  problems?: readonly ErrorCode[];
  /** Content that an error answer may have instead of a problem document, by status. */
  problemContent?: Record<number, Record<string, object>>;
  /** OpenAPI parameters that the handler reads from the request itself, such as headers. */
  parameters?: readonly object[];
}

export type OperationDescription = OperationText & { inputs: Inputs };

/** Key under which the document of Nest has an {@link OperationDescription}. */
export const operationExtension = 'x-operation';

/**
 * Describes a route beside its handler. What follows from the handler is not said again: the group, the parameters, the
 * body, the status and the errors that every route of its kind has. A route without it fails the build of the document.
 */
export function Operation(text: OperationText): MethodDecorator {
  return (target, key, descriptor) => {
    const { summary, description } = text;
    const operation: OperationDescription = { ...text, inputs: inputsOf(descriptor.value as object) };
    applyDecorators(
      ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
      ApiExtension(operationExtension, operation),
    )(target, key, descriptor);
  };
}

/** An answer with one record. */
export const record = (schema: string, description: string, example?: unknown): Answer => ({
  description,
  content: json(ref(schema), example),
});

/** An answer with all records of a list. */
export const recordList = (schema: string, description: string): Answer => ({
  description,
  content: json(listOf(schema)),
});

/** An answer with one page of a list. */
export const page = (schema: string, description: string): Answer => ({
  description,
  content: json(pageOf(schema)),
});

/** Errors of a handler that reads the database. */
export const fromStore: readonly ErrorCode[] = ['store_unavailable'];
/** Errors of a handler that asks the orchestrator. */
export const fromOrchestrator: readonly ErrorCode[] = ['disconnected', 'deadline_exceeded'];

export const unlistedKey = 'svc:unlisted';

/** Marks a controller that serves pages and no interface: it is not in the document, and takes any query. */
export const Unlisted = (): ClassDecorator =>
  applyDecorators(ApiExcludeController(), SetMetadata(unlistedKey, true));
