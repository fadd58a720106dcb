import type { Timers } from '@lab/ports';
import type { AgentLimits } from '../ports/index.js';
import type { DeviceProcessLife } from './device-process-life.js';

/** What is to be stopped, and how to end it if that fails. */
export interface SafeStop {
  life: DeviceProcessLife;
  /** For the author's `_stop` and for people. */
  reason: string;
  /** True: if `_stop` does not help, the process is ended at once. False: a process without `_stop` is left alone. */
  forced: boolean;
  /** Whether the same call or initialisation is still in progress in this process. */
  goesOn(): boolean;
  /** Ends the process of the device. */
  end(detail: string): void;
}

/**
 * Climbs the ladder of a safe stop: `_stop`, then a grace period for the stopped call, then the end of the process.
 * Resolves when `_stop` is over; the later steps follow by themselves.
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
