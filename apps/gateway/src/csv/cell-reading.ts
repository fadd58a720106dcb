import type { JsonValue } from '@lab/contracts';

/** What a cell says, or why it says nothing. */
export type CellReading = { value: JsonValue } | { fault: { code: string; message: string; hint: string } };

const longestShown = 40;

/** A cell in a message: never more than its beginning. */
export function shown(cell: string): string {
  return JSON.stringify(cell.length <= longestShown ? cell : `${cell.slice(0, longestShown)}...`);
}
