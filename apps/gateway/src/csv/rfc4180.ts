import { ServiceError } from '@lab/contracts';

/** A record of a CSV file. */
export interface CsvRecord {
  /** First line of the record, from 1. */
  line: number;
  cells: string[];
}

/** Separator of cells: a comma as RFC 4180 says, or a semicolon where the comma is the decimal mark. */
export type Separator = ',' | ';';

/**
 * The records of a CSV file (RFC 4180) with any of the usual line endings. Empty lines are skipped.
 *
 * @throws ServiceError `invalid` with the line where the text is no CSV
 */
export function* recordsOf(text: string, separator: Separator): Generator<CsvRecord, void, undefined> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] };
    const begin = at;
    for (;;) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? quotedEnd(text, at, line) : plainEnd(text, at, separator, line);
      const cell = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end);
      record.cells.push(cell);
      if (isQuoted) line += lineEnds(cell);
      at = end;
      if (text[at] !== separator) break;
      at += 1;
    }
    const isEmpty = at === begin;
    if (at < text.length) {
      if (text[at] !== '\r' && text[at] !== '\n')
        throw notCsv(line, 'goes on behind the quotation mark that ends a cell');
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
    }
    if (!isEmpty) yield record;
  }
}

/** The text of a record (RFC 4180) with its line ending. */
export function csvLine(cells: readonly string[]): string {
  // A single empty cell would be an empty line, which readers skip.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Where a cell in quotation marks ends: behind the last of them. */
function quotedEnd(text: string, from: number, line: number): number {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at === -1)
      throw notCsv(
        line,
        'has a quotation mark that begins a cell, and none that ends it before the file ends',
      );
    if (text[at + 1] !== '"') return at + 1;
  }
}

function plainEnd(text: string, from: number, separator: Separator, line: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === separator || character === '\n' || character === '\r') return at;
    if (character === '"') throw notCsv(line, 'has a quotation mark in a cell that does not begin with one');
  }
  return text.length;
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function notCsv(line: number, message: string): ServiceError {
  return new ServiceError('invalid', `The file is no CSV: line ${line} ${message}.`, {
    faults: [
      {
        path: '',
        line,
        code: 'csv',
        message: `line ${line} ${message}`,
        hint: 'Put the whole cell in quotation marks, and write each one within it twice.',
      },
    ],
  });
}
