/** The most records of one request. */
const mostOfRequest = 500;

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}
interface PageQuery {
  limit: number;
  cursor?: string;
}

/**
 * Reads the first records of a list. A page may have fewer records than it was asked for.
 *
 * @param read reads a page
 * @returns the last page that was read, with all records
 */
export async function readPages<Item, P extends Page<Item>>(
  read: (query: PageQuery) => Promise<P>,
  count: number,
): Promise<P> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ;) {
    const limit = Math.min(mostOfRequest, count - items.length);
    const page: P = await read({ limit, ...(cursor === null ? {} : { cursor }) });
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= count) return { ...page, items };
    cursor = page.next_cursor;
  }
}
