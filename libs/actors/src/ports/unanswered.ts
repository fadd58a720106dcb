import { ServiceError } from '@lab/contracts';

/** A call went to another agent and no answer came: nobody here knows whether it was begun or still goes on. */
export class Unanswered extends ServiceError {
  /** True: the process of the device that was called has ended, so that nothing goes on any more. */
  readonly over: boolean;

  constructor(
    code: 'disconnected' | 'deadline_exceeded' | 'agent_unreachable',
    message: string,
    options: { over?: boolean; cause?: unknown } = {},
  ) {
    super(code, message, { effect: 'maybe', cause: options.cause });
    this.over = options.over ?? false;
  }
}
