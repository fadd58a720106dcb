import { createHash } from 'node:crypto';
import { ServiceError, type Fault, type JsonObject, type Principal } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { auditEntry, AuditRecorder } from '../audit/index.js';
import { FromQuery, invalidQuery, queryParameter, readFlag } from '../routes/index.js';

/** Longest reason, in characters. */
const longestReason = 2_000;
/** Longest arguments that the audit keeps, in characters of JSON. Of longer ones it keeps the hash. */
const keptArguments = 4_096;

/** Whether somebody calls a device although a task holds it, and why. */
export interface Force {
  force: boolean;
  /** Empty: none given. */
  reason: string;
}

/** A parameter of a handler: the {@link Force} in the query. */
export const ForcedCall = (): ParameterDecorator =>
  FromQuery(
    [
      queryParameter('force', 'True: call the function although a task holds the device.', {
        type: 'boolean',
        default: false,
      }),
      queryParameter('reason', 'Reason for the audit. Required with `force`.', {
        type: 'string',
        maxLength: longestReason,
      }),
    ],
    ({ force: text, reason = '' }): Force => {
      const force = readFlag('force', text);
      const faults: Fault[] = [];
      if (force && reason.trim() === '')
        faults.push({ path: '?reason', code: 'required', message: 'is missing', hint: 'why it cannot wait' });
      if (reason.length > longestReason || reason.includes('\u0000') || !reason.isWellFormed())
        faults.push({
          path: '?reason',
          code: 'length',
          message: `must be a text of at most ${longestReason} characters`,
        });
      if (faults.length > 0) throw invalidQuery(faults);
      return { force, reason };
    },
  );

/** Lets people call a device past its tasks: not during the work of others without a reason, and never without a trace. */
@Injectable()
export class CallPermit {
  constructor(private readonly audit: AuditRecorder) {}

  /**
   * @returns a check to make before any call that is no query. It gets the task that holds the device, throws ServiceError
   *   `device_in_use` when the call is not forced, and writes the call into the audit; when that fails, the call must not
   *   be made. Undefined with authentication off: everybody who reaches the service may call every function
   */
  of(
    request: FastifyRequest,
    caller: Principal,
    call: { function: string; arguments: JsonObject },
    { force, reason }: Force,
  ): ((holder: string | undefined) => Promise<void>) | undefined {
    if (caller.kind === 'local') return undefined;
    return async (holder) => {
      if (holder !== undefined && !force) {
        throw new ServiceError(
          'device_in_use',
          `The task ${holder} holds the device. To call it all the same, give a reason: ?force=true&reason=<text>.`,
        );
      }
      await this.audit.announce(
        auditEntry(request, caller, holder === undefined ? 'device.call' : 'device.call.forced', {
          function: call.function,
          arguments: shortened(call.arguments),
          ...(holder === undefined ? {} : { held_by: holder }),
          ...(reason === '' ? {} : { reason }),
        }),
      );
    };
  }
}

/** Short arguments as they are, long ones as their hash. */
function shortened(given: JsonObject): JsonObject {
  const text = JSON.stringify(given);
  if (text.length <= keptArguments) return given;
  return { sha256: createHash('sha256').update(text).digest('hex') };
}
