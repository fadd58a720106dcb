import { NotBegun } from '@lab/sdk';
import { ExchangeError, failure } from '../errors/index.js';
import {
  NotRecorded,
  withCallId,
  withoutCallId,
  type Mask,
  type MessageReplay,
  type Said,
  type Turn,
} from '../recordings/index.js';
import type { OpenPort, PortEvents } from './port.js';

/**
 * A way to open a port that answers from a recording. What the instrument said by itself is said again, after the request that it
 * followed.
 *
 * @param callId the id of the call that the running code serves
 */
export function replayed(replay: MessageReplay, mask: Mask, callId: () => string | undefined): OpenPort {
  return (events) => {
    setImmediate(() => tell(replay.greeting(), events));
    return Promise.resolve({
      exchange: async (request) => {
        const id = callId();
        let turn: Turn;
        try {
          turn = replay.turn(mask.value(withoutCallId(request, id)));
        } catch (error) {
          throw error instanceof NotRecorded ? new NotBegun(error.message, { cause: error }) : error;
        }
        setImmediate(() => tell(turn.said, events));
        const { answers, error, line } = turn;
        const [answer] = answers;
        if (error !== undefined) throw failure(error.message, error['effect'] !== 'none');
        if (answer === undefined) throw new ExchangeError(`the recording has no answer to its line ${line}`);
        return withCallId(answer, id);
      },
      close: () => Promise.resolve(),
    });
  };
}

function tell(said: readonly Said[], events: PortEvents): void {
  for (const each of said) {
    if ('ended' in each) events.lost(new Error(each.ended));
    else events.heard(each.message);
  }
}
