import { withLeaves } from './leaves.js';

/**
 * Stands in messages of a recording for the id of the call that sends the request. Each session has other ids, so a request with its own
 * id would be that of no recording.
 */
const placeholder = '{call_id}';

/** A message as a recording has it. @param callId of the running call; undefined: none runs */
export const withoutCallId = <Value>(message: Value, callId: string | undefined): Value =>
  replaced(message, callId, placeholder);

/** A message of a recording for the call that runs now. */
export const withCallId = <Value>(message: Value, callId: string | undefined): Value =>
  callId === undefined ? message : replaced(message, placeholder, callId);

function replaced<Value>(message: Value, from: string | undefined, to: string): Value {
  if (from === undefined || from === '') return message;
  return withLeaves(message, (leaf) => (typeof leaf === 'string' ? leaf.replaceAll(from, to) : leaf));
}
