/** A value of a parameter as one line of text. Numbers have the point of JSON, so that they can be copied into a submission. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}

/** How the content of a file can be shown without running any of it. */
export type Preview = 'image' | 'table' | 'text' | 'none';

/** Images that a browser draws without running anything in them. An SVG document can hold scripts, so it is shown as text. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp']);
const texts = /^text\/|^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson)$|\+(xml|json)$/;
const tables = new Set(['text/csv', 'text/tab-separated-values']);

export function previewOf(mediaType: string): Preview {
  const [type = ''] = mediaType.toLowerCase().split(';', 1);
  if (images.has(type)) return 'image';
  if (tables.has(type)) return 'table';
  return texts.test(type) ? 'text' : 'none';
}

/**
 * Reads the beginning of a table of separated values (RFC 4180).
 *
 * @param most greatest number of rows that are read
 * @returns rows of cells; a row may be shorter or longer than the first
 */
export function tableOf(text: string, most: number): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.length > 1 || cell !== '') rows.push(row);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const char = text[at] ?? '';
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === separator) {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (rows.length < most && (row.length > 0 || cell !== '')) endRow();
  return rows;
}

/** The separator that the first line has most often. */
function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t'].map((each) => ({ each, count: line.split(each).length }));
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).each;
}
