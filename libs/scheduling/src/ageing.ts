/** Milliseconds of waiting that raise the priority by one step, so that no task waits for ever. */
export const ageingStepMs = 600_000;

/** Priority including the steps for waiting. @param waitingSince milliseconds since 1970, as `now` */
export function agedPriority(priority: number, waitingSince: number, now: number): number {
  return priority + Math.floor(Math.max(0, now - waitingSince) / ageingStepMs);
}
