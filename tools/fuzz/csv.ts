/** A number as the service writes it. No other cell may begin with a minus. */
const number = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;

/** The first violation of RFC 4180, or the first cell that a spreadsheet would execute; undefined: the table is right. */
export function csvFault(text: string): string | undefined {
  if (!text.endsWith('\r\n')) return 'the last line has no end';
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let columns: number | undefined;
  let cells = 0;
  let line = 1;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) return `line ${line} is no CSV`;
    const [, quoted, plain, end] = match;
    const content = quoted?.replaceAll('""', '"') ?? plain ?? '';
    if (/^\s*[=+@-]/.test(content) && !number.test(content)) return `a cell of line ${line} is a formula`;
    cells += 1;
    if (end === ',') continue;
    columns ??= cells;
    if (cells !== columns) return `line ${line} has ${cells} cells, and the header has ${columns}`;
    cells = 0;
    line += 1;
  }
  return undefined;
}
