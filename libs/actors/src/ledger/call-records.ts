import type { CallEnding, RecordedCall } from './records.js';

/**
 * Records device calls before they act. The actor of a device calls `begin` right before it sends a call to the process,
 * and `end` when the process has answered or the call is known never to have begun. When the process ends without an
 * answer, it calls `inDoubt`. Between `begin` and `end` nobody may say that the device is idle.
 */
export interface CallRecords {
  /**
   * Resolves when it is durable that the call may act from now on.
   *
   * @throws ServiceError `service_unavailable` with effect none when the call could not be recorded; it must not be sent
   */
  begin(call: RecordedCall): Promise<void>;
  /** Notes the end. The caller does not wait for the disk: if the note is lost, the device is merely in doubt. */
  end(callId: string, ending: CallEnding): void;
  /** The effects of a device that began and have no known end, oldest first, including those of earlier agent processes. */
  inDoubt(device: string): RecordedCall[];
  /** The last call of a device that is known to have ended, for the person who settles a doubt. */
  lastConfirmed(device: string): RecordedCall | undefined;
  /**
   * The driver (`_reconcile`) or a person has said that the device is idle. Resolves when that is durable; from then on
   * {@link inDoubt} is empty.
   */
  settled(device: string, by: string): Promise<void>;
}
