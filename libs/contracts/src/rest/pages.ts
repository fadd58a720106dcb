/** Most records of one page, and the number when a request names none. */
export const longestPage = 500;
export const usualPage = 100;

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Leads to the next page; null: this is the last page. */
  next_cursor: string | null;
}

/**
 * A place between two records of a list: the value of the field that the list is sorted by, and the id that settles
 * ties.
 */
export interface ListPosition {
  /** Moments as ISO 8601 in UTC with milliseconds. */
  value: string | number;
  id: string;
}

/** One page as it is read, before its end becomes a cursor. */
export interface Portion<Item> {
  items: Item[];
  /** Null: this is the last page. */
  end: ListPosition | null;
}
