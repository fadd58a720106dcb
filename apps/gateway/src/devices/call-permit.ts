import { createHash } from 'node:crypto';
import { maskedArguments, ServiceError, type Fault, type JsonObject, type Principal } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { auditEntry, AuditRecorder } from '../audit/index.js';
import { FromQuery, invalidQuery, queryParameter, readFlag } from '../routes/index.js';
import type { Permit } from './device-calls.js';

/** Longest reason, in characters. */
const longestReason = 2_000;
/** Longest name of a person, in characters. */
const longestName = 200;
/** Longest arguments that the audit keeps, in characters of JSON. Of longer ones it keeps the hash. */
const keptArguments = 4_096;

/** Who calls a device, whether also while a task holds it, and why. */
export interface Force {
  force: boolean;
  /** Empty: none given. */
  reason: string;
  /** Absent: not given. */
  by: string | undefined;
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
      queryParameter('by', 'Who calls, for the record. With tokens it is the owner of the token.', {
        type: 'string',
        maxLength: longestName,
      }),
    ],
    ({ force: text, reason = '', by }): Force => {
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
      if (by !== undefined && (by.length > longestName || by.includes('\u0000') || !by.isWellFormed()))
        faults.push({
          path: '?by',
          code: 'length',
          message: `must be a text of at most ${longestName} characters`,
        });
      if (faults.length > 0) throw invalidQuery(faults);
      return { force, reason, by };
    },
  );

/** What a person needs to act on a device that a task has. */
export abstract class HeldDevices {
  /** True: a reason. False: nothing. */
  abstract readonly needReason: boolean;
}

/** Lets people call a device past its tasks: not during the work of others without a reason, and never without a trace. */
@Injectable()
export class CallPermit {
  constructor(
    private readonly audit: AuditRecorder,
    private readonly held: HeldDevices,
  ) {}

  /**
   * @returns a check to make before any call that is no query. It throws ServiceError `device_in_use` when a task holds the
   *   device and the call is not forced. With authentication on, and for a forced call, it writes the call into the audit;
   *   when that fails, the call must not be made. Undefined: with authentication off, and if the configuration demands no
   *   reason, there is nothing to check
   */
  of(
    request: FastifyRequest,
    caller: Principal,
    call: { function: string; arguments: JsonObject },
    { force, reason }: Force,
  ): Permit | undefined {
    if (caller.kind === 'local' && !this.held.needReason && !force) return undefined;
    const admit: Permit['admit'] = async (holder, declared) => {
      if (holder !== undefined && !force && this.held.needReason) {
        throw new ServiceError(
          'device_in_use',
          `The task ${holder} holds the device. To call it all the same, give a reason: ?force=true&reason=<text>, or svc rpc --reason <text>.`,
        );
      }
      if (caller.kind === 'local' && (holder === undefined || !force)) return;
      await this.audit.announce(
        auditEntry(request, caller, holder === undefined ? 'device.call' : 'device.call.forced', {
          function: call.function,
          arguments: shortened(maskedArguments(declared, call.arguments)),
          ...(holder === undefined ? {} : { held_by: holder }),
          ...(reason === '' ? {} : { reason }),
        }),
      );
    };
    return { force: force || !this.held.needReason, admit };
  }
}

/** Short arguments as they are, long ones as their hash. */
function shortened(given: JsonObject): JsonObject {
  const text = JSON.stringify(given);
  if (text.length <= keptArguments) return given;
  return { sha256: createHash('sha256').update(text).digest('hex') };
}
