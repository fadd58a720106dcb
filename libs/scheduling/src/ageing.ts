/** Milliseconds of waiting that count as much as one step of priority, so that nothing waits for ever. */
export const ageingStepMs = 600_000;

/** Priority with the steps that waiting has added. @param waitingSince milliseconds since 1970, as `now` */
export function agedPriority(priority: number, waitingSince: number, now: number): number {
  return priority + Math.floor(Math.max(0, now - waitingSince) / ageingStepMs);
}
