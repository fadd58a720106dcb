import type { TaskRunRecord } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RecordReader } from '../ports/index.js';
import { lookupName, pathParameter, queryParameter, takes } from '../routes/index.js';
import { found } from './found.js';

/** How an address names a task. */
export interface TaskAddress {
  name: string;
  /** Name of the protocol run that the task belongs to; undefined: the task is an on-demand task. */
  run: string | undefined;
}

/** A parameter of a handler: the {@link TaskAddress} of the path and of `protocol_run_name` in the query. */
export const AddressOfTask = (example = 'score_1'): ParameterDecorator =>
  createParamDecorator(
    (_: unknown, context: ExecutionContext): TaskAddress => {
      const { params, query } = context.switchToHttp().getRequest<FastifyRequest>();
      const { protocol_run_name: run } = query as Record<string, string | undefined>;
      return {
        run: run === undefined ? undefined : lookupName(run, 'protocol run'),
        name: lookupName((params as { task_name: string }).task_name, 'task'),
      };
    },
    [
      takes({
        query: ['protocol_run_name'],
        problems: ['not_found'],
        parameters: [
          pathParameter('task_name', { description: 'Name of the task.', example }),
          queryParameter(
            'protocol_run_name',
            'Selects the task of that protocol run instead of an on-demand task.',
            { type: 'string' },
          ),
        ],
      }),
    ],
  )();

/**
 * A task by its address.
 *
 * @throws ServiceError `not_found`
 */
export async function foundTask(records: RecordReader, { name, run }: TaskAddress): Promise<TaskRunRecord> {
  const words = run === undefined ? 'on-demand task' : `task of the protocol run "${run}"`;
  return found(await records.task(name, run), words, name);
}
