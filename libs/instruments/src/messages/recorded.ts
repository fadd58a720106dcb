import { NotBegun } from '@lab/sdk';
import { messageOf } from '../errors/index.js';
import { withoutCallId, type Mask, type NewEntry, type Traffic } from '../recordings/index.js';
import type { Message, OpenPort } from './port.js';

/**
 * A way to open a port whose traffic is recorded. A line is in the file before its request leaves.
 *
 * @param mask hides secrets
 * @param callId the id of the call that the running code serves
 */
export function recorded(
  open: OpenPort,
  traffic: Traffic,
  mask: Mask,
  callId: () => string | undefined,
): OpenPort {
  const record = (entry: () => NewEntry): void => {
    if (!traffic.isOver) traffic.add(entry());
  };
  return async (events, signal) => {
    const port = await open(
      {
        heard: (event) => {
          record(() => ({ dir: 'in', message: mask.value(event) }));
          events.heard(event);
        },
        lost: (reason) => {
          record(() => ({ event: 'end', why: mask.text(messageOf(reason)) }));
          events.lost(reason);
        },
      },
      signal,
    );
    record(() => ({ event: 'open' }));
    return {
      exchange: async (request, purpose) => {
        const id = callId();
        const of = { exchange: traffic.nextExchange(), ...(id === undefined ? {} : { call: id }) };
        const told = (message: Message): Message => mask.value(withoutCallId(message, id));
        record(() => ({ dir: 'out', message: told(request), ...of }));
        try {
          const answer = await port.exchange(request, purpose);
          record(() => ({ dir: 'in', message: told(answer), ...of }));
          return answer;
        } catch (error) {
          const effect = error instanceof NotBegun ? 'none' : 'maybe';
          record(() => ({ dir: 'in', error: { message: mask.text(messageOf(error)), effect }, ...of }));
          throw error;
        }
      },
      close: () => {
        record(() => ({ event: 'close' }));
        return port.close();
      },
    };
  };
}
