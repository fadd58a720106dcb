// Whether a text is a table as the service promises one.

/** A number as the service writes it; nothing else may begin with a minus. */
const number = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;

/** What is wrong with a table by RFC 4180, or what a spreadsheet would carry out of it; undefined: nothing. */
export function csvFault(text) {
  if (!text.endsWith('\r\n')) return 'the last line has no end';
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let columns;
  let cells = 0;
  let line = 1;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) return `line ${line} is no CSV`;
    const [, quoted, plain, end] = match;
    const content = quoted?.replaceAll('""', '"') ?? plain;
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
