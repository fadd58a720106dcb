/**
 * Created longer than this before it was asked for, a record is not of that request, in milliseconds: more than the clocks
 * of two computers differ, and less than somebody takes who means to submit the same thing again.
 */
const clocksDifferMs = 60_000;

/** A record as far as it says what was submitted. */
interface Submitted {
  created_at: string;
}

/**
 * Whether a record is of this very submission: made for it, and with everything that it says.
 *
 * @param askedAt when it was first sent, in milliseconds since 1970
 */
export function isOwn(record: Submitted | undefined, submission: object, askedAt: number): boolean {
  if (record === undefined || Date.parse(record.created_at) < askedAt - clocksDifferMs) return false;
  const known = record as unknown as Record<string, unknown>;
  // What a record does not show, such as how often a task is tried again, cannot be compared.
  return Object.entries(submission).every(
    ([field, given]) => !(field in known) || holds(known[field], given),
  );
}

/** A record may say more than the submission: defaults, and of a resource what it is. */
function holds(known: unknown, given: unknown): boolean {
  if (given === undefined) return true;
  if (Array.isArray(given))
    return (
      Array.isArray(known) &&
      known.length === given.length &&
      given.every((each, index) => holds(known[index], each))
    );
  if (typeof given === 'object' && given !== null)
    return (
      isObject(known) &&
      Object.entries(given).every(([key, value]) => Object.hasOwn(known, key) && holds(known[key], value))
    );
  return known === given || (isObject(known) && known['name'] === given);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
