import { createHash } from 'node:crypto';
import { ServiceError, type Fault, type JsonObject, type Principal } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { auditEntry, AuditRecorder } from '../audit/index.js';
import { readFlag, readQuery } from '../routes/index.js';

/** Longest reason, in characters. */
const longestReason = 2_000;
/** Arguments up to so many characters of JSON are kept; of longer ones their hash. */
const keptArguments = 4_096;

/** Lets people act on a device past its tasks: never in the middle of somebody's work without a word, and never unseen. */
@Injectable()
export class CallPermit {
  constructor(private readonly audit: AuditRecorder) {}

  /**
   * @returns what is asked before a call that is no query: whether it may be made although a task has the device. It is
   *   written down first, and not made when that fails. Undefined with authentication off: whoever reaches the service
   *   may do everything
   * @throws ServiceError `invalid` for a query that is not understood, or a force without a reason
   */
  of(
    request: FastifyRequest,
    caller: Principal,
    call: { function: string; arguments: JsonObject },
  ): ((holder: string | undefined) => Promise<void>) | undefined {
    const { force: text, reason = '' } = readQuery(request.query, ['force', 'reason'] as const);
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
    if (faults.length > 0)
      throw new ServiceError('invalid', 'The query of the address is not valid.', { faults });
    if (caller.kind === 'local') return undefined;
    return async (holder) => {
      if (holder !== undefined && !force) {
        throw new ServiceError(
          'device_in_use',
          `The task ${holder} has the device. To act on it all the same, say why: ?force=true&reason=<text>.`,
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

/** Short arguments as they are, others by their hash. */
function shortened(given: JsonObject): JsonObject {
  const text = JSON.stringify(given);
  if (text.length <= keptArguments) return given;
  return { sha256: createHash('sha256').update(text).digest('hex') };
}
