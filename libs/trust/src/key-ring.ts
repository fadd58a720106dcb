/** One key of several that replace each other. Times are in ISO 8601. */
export interface KeyEntry<K> {
  readonly key: K;
  /** From when it signs or seals. Null: unknown, the key was never replaced. */
  readonly since: string | null;
  /** From when it is refused. Null: it has no end. */
  readonly until: string | null;
}

/** The keys of one purpose, newest first. One of them signs; all that have not ended are accepted. */
export type KeyRing<K> = readonly [KeyEntry<K>, ...KeyEntry<K>[]];

/** How a new key replaces the one before, in milliseconds. */
export interface Overlap {
  /** How long the key before is still accepted. 0: it ends at once. Infinity: it has no end. */
  overlapMs: number;
  /** How long the new key is accepted before it signs, so that everybody can learn of it. Less than `overlapMs`. Default 0. */
  leadMs?: number;
}

/** A ring with one key of unknown age. */
export const ringOf = <K>(key: K): KeyRing<K> => [{ key, since: null, until: null }];

/** The key that signs or seals: the newest whose time has come. */
export function signingEntry<K>(ring: KeyRing<K>, now: number): KeyEntry<K> {
  const begun = ring.find(({ since }) => since === null || Date.parse(since) <= now);
  return begun ?? ring[ring.length - 1] ?? ring[0];
}

/** The entries that have not ended, newest first. It also contains a key that does not sign yet. */
export function acceptedEntries<K>(ring: KeyRing<K>, now: number): KeyEntry<K>[] {
  return ring.filter(({ until }) => until === null || Date.parse(until) > now);
}

/** The entries that have not ended, the one that signs first, then newest first. */
export function entriesInUse<K>(ring: KeyRing<K>, now: number): KeyRing<K> {
  const signing = signingEntry(ring, now);
  return [signing, ...acceptedEntries(ring, now).filter((entry) => entry !== signing)];
}

/**
 * The ring with a new key. Keys that have ended are dropped. A key that was to end sooner still does.
 *
 * @param now milliseconds since 1970
 */
export function rotated<K>(
  ring: KeyRing<K>,
  key: K,
  now: number,
  { overlapMs, leadMs = 0 }: Overlap,
): KeyRing<K> {
  const end = overlapMs === Infinity ? undefined : now + overlapMs;
  const others = overlapMs === 0 ? [] : acceptedEntries(ring, now);
  return [
    { key, since: iso(now + leadMs), until: null },
    ...others.map((entry) =>
      end === undefined || (entry.until !== null && Date.parse(entry.until) < end)
        ? entry
        : { ...entry, until: iso(end) },
    ),
  ];
}

/**
 * The ring in the text of a file. A file that was never rotated holds one key alone.
 *
 * @param what names the file for people
 * @param keyIn reads and checks one key; undefined: it is none
 * @param alone reads the text of a file that was never rotated. Default: `keyIn` of the text
 * @throws Error in one sentence, without the text, when it is damaged
 */
export function ringIn<K>(
  text: string,
  what: string,
  keyIn: (given: unknown) => K | undefined,
  alone: (text: string) => K | undefined = keyIn,
): KeyRing<K> {
  const given = versionTwo(text);
  if (given !== undefined) return ringFrom(given.keys, what, keyIn);
  const key = alone(text.trim());
  if (key === undefined) throw new Error(`The ${what} is damaged.`);
  return ringOf(key);
}

/** Checks a list of entries, for example in a larger file. @throws as {@link ringIn} */
export function ringFrom<K>(
  given: unknown,
  what: string,
  keyIn: (given: unknown) => K | undefined,
): KeyRing<K> {
  const entries = Array.isArray(given) ? given.map((each) => entryIn(each, keyIn)) : [];
  const [first, ...others] = entries.filter((entry) => entry !== undefined);
  if (first === undefined || others.length + 1 !== entries.length) throw new Error(`The ${what} is damaged.`);
  return [first, ...others];
}

/** The text of a file with this ring. */
export const ringText = (ring: readonly KeyEntry<unknown>[]): string =>
  `${JSON.stringify({ version: 2, keys: ring })}\n`;

/**
 * Remembers what was read of a text that may change, such as that of a file.
 *
 * @throws as `read`
 */
export function reading<T>(source: () => string, read: (text: string) => T): () => T {
  let last: { text: string; value: T } | undefined;
  return () => {
    const text = source();
    if (last?.text !== text) last = { text, value: read(text) };
    return last.value;
  };
}

/** Shortest key that is a text, in characters. */
const shortestText = 32;

/** Reads a key that is any text of 32 characters or more. */
export const textKey = (given: unknown): string | undefined =>
  typeof given === 'string' && given.length >= shortestText ? given : undefined;

/**
 * The texts of a ring at this time: the first signs, and all are accepted.
 *
 * @param source text of the file
 */
export function acceptedTexts(
  source: () => string,
  what: string,
  now: () => number = Date.now,
): () => readonly [string, ...string[]] {
  const ring = reading(source, (text) => ringIn(text, what, textKey));
  return () => {
    const [signing, ...others] = entriesInUse(ring(), now());
    return [signing.key, ...others.map(({ key }) => key)];
  };
}

function versionTwo(text: string): { keys: unknown } | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const given = JSON.parse(text) as { version?: unknown; keys?: unknown };
    return given.version === 2 ? { keys: given.keys } : undefined;
  } catch {
    return undefined;
  }
}

function entryIn<K>(given: unknown, keyIn: (given: unknown) => K | undefined): KeyEntry<K> | undefined {
  const { key: text, since, until } = (given ?? {}) as Record<string, unknown>;
  const key = keyIn(text);
  return key !== undefined && isMoment(since) && isMoment(until) ? { key, since, until } : undefined;
}

const isMoment = (given: unknown): given is string | null =>
  given === null || (typeof given === 'string' && !Number.isNaN(Date.parse(given)));

const iso = (ms: number): string => new Date(ms).toISOString();
