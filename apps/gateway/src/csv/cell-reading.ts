import type { JsonValue } from '@lab/contracts';

/** The value of a cell, or the fault of a cell without a value. */
export type CellReading = { value: JsonValue } | { fault: { code: string; message: string; hint: string } };

const longestShown = 40;

/** A cell for a message: at most its beginning. */
export function shown(cell: string): string {
  return JSON.stringify(cell.length <= longestShown ? cell : `${cell.slice(0, longestShown)}...`);
}
