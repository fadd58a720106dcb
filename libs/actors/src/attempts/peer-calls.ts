import { ServiceError } from '@lab/contracts';
import type { Timers } from '@lab/ports';
import type { AgentLog, OtherAgent, Peers, Retry } from '../ports/index.js';
import { messageOf } from './result-delivery.js';

/**
 * Waits until another agent has no call in progress that an earlier process of this agent sent for an attempt, and will
 * begin none. That is certain when the other agent says so, when its incarnation is over, or when the longest time of any
 * call has passed. Until then nobody may decide about the attempt: a call on its way could overtake the next attempt.
 *
 * @param signal when it fires, the wait ends
 * @returns false when the signal fired first
 */
export async function peerCallsOver(
  ports: { peers: Peers; timers: Timers; retry: Retry; log: AgentLog },
  { computer, inc, restMs }: OtherAgent,
  attempt: { id: string; reason: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { peers, timers, retry, log } = ports;
  const over = new AbortController();
  const cancelLate = timers.after(restMs, () => over.abort());
  const unwatch = peers.whenOver({ computer, inc }, () => over.abort());
  const ask = async (): Promise<void> => {
    if (await peers.barCalls({ computer, inc }, attempt.id, attempt.reason))
      throw new ServiceError('wrong_state', 'a call of the task still goes on there');
  };
  const failed = (error: unknown): boolean => {
    log.debug('another computer may still be at work for the task', { computer, reason: messageOf(error) });
    return false;
  };
  try {
    await retry.run(ask, { signal: AbortSignal.any([over.signal, signal]), failed });
    return true;
  } catch {
    return over.signal.aborted;
  } finally {
    cancelLate();
    unwatch();
  }
}
