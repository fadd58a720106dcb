import type { DeviceDoubt } from '@lab/contracts';
import type { CallRecords, RecordedCall } from '../ledger/index.js';

/** A device may be in the middle of something. */
export interface Doubt {
  /** What is known, for the person who is asked. */
  readonly known: DeviceDoubt;
  /** What is not, for people. */
  readonly what: string;
}

/**
 * What the records tell of effects of a device that began and have no known end; undefined: there are none.
 *
 * @param cause why nobody knows, for people
 * @param interrupted the effect that was in progress in this process, if one was
 * @param neverSent of calls that are recorded at this moment and will not be made
 */
export function findDoubt(
  records: CallRecords,
  device: string,
  cause: string,
  neverSent: (callId: string) => boolean,
  interrupted?: Pick<RecordedCall, 'callId' | 'function' | 'attemptId'>,
): Doubt | undefined {
  const calls: Pick<RecordedCall, 'callId' | 'function' | 'attemptId'>[] = records
    .inDoubt(device)
    .filter(({ callId }) => !neverSent(callId));
  if (interrupted !== undefined && !calls.some(({ callId }) => callId === interrupted.callId)) {
    calls.push(interrupted);
  }
  const latest = calls.at(-1);
  if (latest === undefined) return undefined;
  const confirmed = records.lastConfirmed(device);
  return {
    known: {
      // Named by the call, so that it is the same doubt for every agent process.
      id: latest.callId,
      in_doubt: calls.map(({ callId, function: name, attemptId }) => ({
        call_id: callId,
        function: name,
        ...(attemptId === undefined ? {} : { attempt_id: attemptId }),
      })),
      last_confirmed:
        confirmed === undefined ? null : { call_id: confirmed.callId, function: confirmed.function },
    },
    what: `${cause} during ${latest.function}; whether it took effect is not known`,
  };
}
