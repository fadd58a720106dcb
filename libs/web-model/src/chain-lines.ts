import type { GanttBar, GanttRow } from './gantt.js';

/** A line of a chart from the end of a bar to the start of the next one of a chain. */
export interface ChainLine {
  /** Places of their rows. */
  from: number;
  to: number;
  /** Milliseconds since 1970. */
  leaves: number;
  arrives: number;
}

/**
 * The lines between the bars of a chain, in time O(bars of the rows). Two bars that have a row in common are joined there.
 *
 * @param now end of a bar whose end nobody knows, in milliseconds since 1970
 */
export function linesOf(rows: readonly GanttRow[], chain: readonly GanttBar[], now: number): ChainLine[] {
  const places = new Map<GanttBar, number[]>(chain.map((bar) => [bar, []]));
  for (const [place, { bars }] of rows.entries()) for (const bar of bars) places.get(bar)?.push(place);
  return chain.slice(1).flatMap((bar, index): ChainLine[] => {
    const former = chain[index];
    if (former === undefined) return [];
    const own = places.get(bar) ?? [];
    const others = places.get(former) ?? [];
    const shared = own.find((place) => others.includes(place));
    const from = shared ?? others[0];
    const to = shared ?? own[0];
    if (from === undefined || to === undefined) return [];
    return [{ from, to, leaves: former.end ?? Math.max(former.start, now), arrives: bar.start }];
  });
}
