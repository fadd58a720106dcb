/** Differences below this come from the way of an answer, and from seconds in `Date`, in milliseconds. */
const negligibleMs = 2_000;

let offsetMs = 0;

/** Learns the time of the service from the header `Date` of an answer. The clock of a person's computer may be wrong. */
export function noteDate(header: string | null): void {
  const at = Date.parse(header ?? '');
  if (Number.isNaN(at)) return;
  const ahead = at - Date.now();
  offsetMs = Math.abs(ahead) < negligibleMs ? 0 : ahead;
}

/** The time of the service, in milliseconds since 1970. */
export const serviceNow = (): number => Date.now() + offsetMs;
