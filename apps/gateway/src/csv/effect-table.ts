import { EffectRecord, fieldNamesOf, type JsonValue } from '@lab/contracts';
import { cellOf } from './cells.js';
import { csvLine } from './rfc4180.js';

/** The calls of devices as a table: a column for each field. An empty cell is null. */
export function effectTable(): { header(): string; row(effect: EffectRecord): string } {
  const fields = fieldNamesOf(EffectRecord) as readonly (keyof EffectRecord)[];
  return {
    header: () => csvLine(fields.map((field) => cellOf(field))),
    row: (effect) =>
      csvLine(fields.map((field) => cellOf((effect[field] ?? undefined) as JsonValue | undefined))),
  };
}
