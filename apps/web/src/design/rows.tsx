import {
  defaultRangeExtractor,
  useVirtualizer,
  useWindowVirtualizer,
  type Range,
} from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type FocusEvent, type ReactNode } from 'react';

/** A list of up to this many rows is drawn whole, so that the search of the browser finds everything in it. */
const mostDrawn = 60;
/** Height of a row until it was measured, in pixels. */
const expected = { row: 44, line: 34 };
/** Rows that are drawn before and behind those that are seen, so that the keyboard reaches the next one. */
const overscan = 10;

interface RowsProps<Item> {
  items: readonly Item[];
  /** Unique in the list. */
  keyOf(item: Item): string;
  /** What a row shows. */
  children(item: Item): ReactNode;
  /** True: the order has a meaning. */
  ordered?: boolean;
  rowClass?: string;
}

/**
 * A list. A long list draws only the rows that are seen and the row with the focus. So a person loses the focus neither by
 * scrolling nor by an update.
 */
export function Rows<Item>(props: RowsProps<Item>): ReactNode {
  const { items, keyOf, children, ordered = false, rowClass = 'row' } = props;
  if (items.length > mostDrawn) return <LongRows {...props} />;
  const List = ordered ? 'ol' : 'ul';
  return (
    <List className="rows">
      {items.map((item) => (
        <li key={keyOf(item)} className={rowClass}>
          {children(item)}
        </li>
      ))}
    </List>
  );
}

function LongRows<Item>({
  items,
  keyOf,
  children,
  ordered = false,
  rowClass = 'row',
}: RowsProps<Item>): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  /** Pixels of the page above the list. */
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    if (place.current !== null)
      setAbove(Math.round(place.current.getBoundingClientRect().top + globalThis.scrollY));
  });
  const held = useHeldRow(items, keyOf);
  const virtualizer = useWindowVirtualizer({
    ...{ count: items.length, overscan, scrollMargin: above, rangeExtractor: held.range },
    estimateSize: () => expected.row,
    getItemKey: (index) => keyAt(items, keyOf, index),
  });
  const List = ordered ? 'ol' : 'ul';
  return (
    <div ref={place} className="long-rows" onFocus={held.onFocus} onBlur={held.onBlur}>
      <List className="rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                className={rowClass}
                style={{ transform: `translateY(${start - above}px)` }}
                data-index={index}
                aria-setsize={items.length}
                aria-posinset={index + 1}
              >
                {children(item)}
              </li>
            )
          );
        })}
      </List>
    </div>
  );
}

interface TableProps<Item> {
  label: string;
  /** Names of the columns. */
  columns: readonly string[];
  items: readonly Item[];
  keyOf(item: Item): string;
  /** The cells of a row. */
  children(item: Item): ReactNode;
}

/** A table that scrolls by itself. Like {@link Rows}, it draws only the rows that are seen and the one with the focus. */
export function LongTable<Item>({ label, columns, items, keyOf, children }: TableProps<Item>): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const held = useHeldRow(items, keyOf);
  const virtualizer = useVirtualizer({
    ...{ count: items.length, rangeExtractor: held.range },
    overscan: items.length > mostDrawn ? overscan : mostDrawn,
    getScrollElement: () => box.current,
    estimateSize: () => expected.line,
    getItemKey: (index) => keyAt(items, keyOf, index),
  });
  const rows: ReactNode[] = [];
  let drawn = 0;
  const gapTo = (end: number): void => {
    if (end > drawn)
      rows.push(
        <tr key={`gap ${drawn}`} aria-hidden="true">
          <td className="gap" colSpan={columns.length} style={{ height: end - drawn }} />
        </tr>,
      );
  };
  for (const { index, key, start, end } of virtualizer.getVirtualItems()) {
    const item = items[index];
    if (item === undefined) continue;
    gapTo(start);
    rows.push(
      <tr key={key} ref={virtualizer.measureElement} data-index={index} aria-rowindex={index + 2}>
        {children(item)}
      </tr>,
    );
    drawn = end;
  }
  gapTo(virtualizer.getTotalSize());
  return (
    <div
      ref={box}
      className="scroll"
      tabIndex={0}
      role="region"
      aria-label={label}
      onFocus={held.onFocus}
      onBlur={held.onBlur}
    >
      <table className="table" aria-rowcount={items.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((name, index) => (
              // Two columns may have one name: an input and an output of a task.
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </div>
  );
}

/** The row with the focus and those beside it are drawn wherever the list is scrolled to, so that Tab goes on from there. */
function useHeldRow<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const [held, setHeld] = useState<string>();
  const at = held === undefined ? -1 : items.findIndex((item) => keyOf(item) === held);
  return {
    range: (range: Range): number[] => {
      const seen = defaultRangeExtractor(range);
      if (at < 0) return seen;
      const beside = [at - 1, at, at + 1].filter((index) => index >= 0 && index < range.count);
      return [...new Set([...seen, ...beside])].sort((a, b) => a - b);
    },
    onFocus: ({ target }: FocusEvent): void => {
      const index = target.closest('[data-index]')?.getAttribute('data-index') ?? null;
      setHeld(index === null ? undefined : keyAt(items, keyOf, Number(index)));
    },
    // The focus may go to a row beside this one. It is drawn until the focus has arrived there.
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setHeld(undefined);
    },
  };
}

function keyAt<Item>(items: readonly Item[], keyOf: (item: Item) => string, index: number): string {
  const item = items[index];
  return item === undefined ? String(index) : keyOf(item);
}
