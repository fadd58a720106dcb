import type { DeviceDoubt } from '@lab/contracts';
import type { CallRecords, RecordedCall } from '../ledger/index.js';

/** What a doubt says of a call. */
type InterruptedCall = Pick<RecordedCall, 'callId' | 'function' | 'attemptId' | 'arguments' | 'by'>;

/** A device may be in the middle of an effect. */
export interface Doubt {
  /** What is known, for the person who settles the doubt. */
  readonly known: DeviceDoubt;
  /** What is not known, for people. */
  readonly what: string;
}

/**
 * Finds the effects of a device that began and have no known end.
 *
 * @param cause why their end is not known, for people
 * @param neverSent says of a recorded call that it was not sent and will not be
 * @param interrupted the effect that was in progress in the process that ended, if there was one
 * @returns undefined when there are none
 */
export function findDoubt(
  records: CallRecords,
  device: string,
  cause: string,
  neverSent: (callId: string) => boolean,
  interrupted?: InterruptedCall,
): Doubt | undefined {
  const calls: InterruptedCall[] = records.inDoubt(device).filter(({ callId }) => !neverSent(callId));
  if (interrupted !== undefined && !calls.some(({ callId }) => callId === interrupted.callId)) {
    calls.push(interrupted);
  }
  const latest = calls.at(-1);
  if (latest === undefined) return undefined;
  const confirmed = records.lastConfirmed(device);
  return {
    known: {
      // The id of the call, so that every later agent process finds the same doubt.
      id: latest.callId,
      in_doubt: calls.map(({ callId, function: name, attemptId, arguments: given, by }) => ({
        call_id: callId,
        function: name,
        ...(attemptId === undefined ? {} : { attempt_id: attemptId }),
        ...(given === undefined ? {} : { arguments: given }),
        ...(by === undefined ? {} : { by }),
      })),
      last_confirmed:
        confirmed === undefined ? null : { call_id: confirmed.callId, function: confirmed.function },
    },
    what: `${cause} during ${latest.function}; whether it took effect is not known`,
  };
}
