import type { JsonValue } from '@lab/contracts';
import type { ParameterSpec } from '@lab/definitions/model';
import { jsonEqual } from '@lab/ports';
import { contentFaults } from '../http/index.js';
import { shown, type CellReading } from './cell-reading.js';
import type { NumberCells } from './number-cells.js';

/**
 * Values as cells of a table for spreadsheets. Numbers, `true`, `false` and plain text are written as they are, lists and
 * objects as JSON. An empty cell is a value that is not given.
 *
 * Text that a spreadsheet would execute as a formula or round as a number is written as a JSON string in quotation marks. So
 * no formula runs, and reading the cell gives the same value.
 */

/** Matches a formula at the beginning, or where a spreadsheet that separates by semicolons begins a cell. */
const formula = /(?:^|[;\t\r\n])[\s"'\\]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const formulaBehindSemicolon = /(?<=;[\s"'\\]*)[=+\-@\uff1d\uff0b\uff0d\uff20]/g;

/** The content of the cell of a value; empty: no value is given. */
export function cellOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && !isMistakable(value)) return value;
  const text = JSON.stringify(value);
  return typeof value === 'number' ? text : text.replace(formulaBehindSemicolon, escaped);
}

function isMistakable(text: string): boolean {
  return (
    text.startsWith('"') ||
    !Number.isNaN(Number(text)) ||
    /^(true|false|null)$/i.test(text) ||
    formula.test(text)
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The value of a cell that is not empty, for a parameter. It does not check whether the parameter may have the value.
 */
export function readCell(spec: ParameterSpec, cell: string, numbers: NumberCells): CellReading {
  switch (spec.type) {
    case 'int':
    case 'float':
      return numbers.read(cell);
    case 'bool':
      return readFlag(cell);
    case 'str':
      return readText(cell);
    case 'choice':
      return readChoice(spec.choices, cell, numbers);
    case 'list':
      return readJson(cell, 'a list in JSON', 'Write for example [1, 2.5].');
    case 'dict':
      return readJson(cell, 'an object in JSON', 'Write for example {"speed": 2.5}.');
  }
}

function readFlag(cell: string): CellReading {
  const flag = cell.trim().toLowerCase();
  if (flag === 'true' || flag === 'false') return { value: flag === 'true' };
  return fault('type', `must be true or false, not ${shown(cell)}`, 'Write true or false.');
}

/** The text of a cell, which may be a JSON string. */
export function readText(cell: string): { value: string } | Extract<CellReading, { fault: object }> {
  if (!cell.startsWith('"')) return { value: cell };
  const value = parsed(cell);
  if (typeof value === 'string') return { value };
  return fault(
    'text',
    `begins with a quotation mark and is no JSON string: ${shown(cell)}`,
    'Leave the quotation marks out, or write the text as JSON does.',
  );
}

function readChoice(choices: readonly JsonValue[], cell: string, numbers: NumberCells): CellReading {
  const exact = choices.find((choice) => cellOf(choice) === cell);
  if (exact !== undefined) return { value: exact };
  const text = readText(cell);
  const readings = [text, readFlag(cell), { value: parsed(cell) }].flatMap((reading) =>
    'value' in reading ? [reading.value] : [],
  );
  const meant = choices.find((choice) => readings.some((reading) => jsonEqual(choice, reading)));
  if (meant !== undefined) return { value: meant };
  const number = choices.some((choice) => typeof choice === 'number') ? numbers.read(cell) : text;
  return 'value' in number ? number : text;
}

function readJson(cell: string, what: string, hint: string): CellReading {
  const value = parsed(cell);
  if (value === undefined) return fault('json', `must be ${what}, not ${shown(cell)}`, hint);
  const [wrong] = contentFaults(value);
  return wrong === undefined ? { value } : fault(wrong.code, `${wrong.path} ${wrong.message}`.trim(), hint);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function fault(
  code: string,
  message: string,
  hint: string,
): { fault: Record<'code' | 'message' | 'hint', string> } {
  return { fault: { code, message, hint } };
}
