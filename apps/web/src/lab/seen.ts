/**
 * Reads a list as far as a person may see it. The service gives a person with roles for single laboratories a list for one
 * of these at a time.
 *
 * @param labs as of `labsSeen`
 * @param read reads the list for the query
 * @param keyOf unique among the records: a record of two laboratories is in the lists of both
 */
export async function readSeen<T>(
  labs: readonly string[] | undefined,
  read: (query: { lab?: string }) => Promise<readonly T[]>,
  keyOf: (record: T) => string,
): Promise<T[]> {
  const queries = labs === undefined ? [{}] : labs.map((lab) => ({ lab }));
  const found = await Promise.all(queries.map((query) => read(query)));
  return [...new Map(found.flat().map((record) => [keyOf(record), record])).values()];
}
