import type { Timers } from '@lab/ports';
import type { AgentLimits } from '../ports/index.js';
import type { DeviceLife } from './device-life.js';

/** What is to be stopped, and what is left when that fails. */
export interface SafeStop {
  life: DeviceLife;
  /** For the author's `_stop` and for people. */
  reason: string;
  /** People demand it: where `_stop` does not help, the process is ended at once. Else one that has none is left alone. */
  forced: boolean;
  /** Is what was to be stopped still in progress, in this process? */
  goesOn(): boolean;
  /** Ends the process of the device. */
  end(detail: string): void;
}

/**
 * The ladder of a safe stop: `_stop`, then a while for what it stopped to end, then the end of the process. Resolves when
 * `_stop` is over; the rest follows by itself.
 */
export async function stopSafely(
  { life, reason, forced, goesOn, end }: SafeStop,
  timers: Timers,
  limits: AgentLimits,
): Promise<void> {
  const outcome = await life.stop(reason);
  if (outcome === 'gone') return;
  if (outcome === 'silent') {
    if (forced || goesOn()) end(`${reason}; _stop did not end in time`);
    return;
  }
  if (!goesOn()) return;
  const hopeless = outcome === 'unsupported' || outcome === 'failed';
  if (hopeless && forced) end(reason);
  else if (outcome !== 'unsupported') {
    timers.after(limits.deviceStopGraceMs, () => {
      if (goesOn()) end(`${reason}; what was in progress did not end after _stop`);
    });
  }
}
