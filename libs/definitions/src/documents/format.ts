import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from './diagnostic.js';

/**
 * Diagnostics for the terminal: the place, the fault, the source line with a caret, and the hint.
 *
 * @param options.userDir folder to which the files are relative; without it, or when a file cannot be read, source
 *   lines are left out
 * @param options.severity of all of them; default `error`
 */
export function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: { userDir?: string; severity?: 'error' | 'warning' } = {},
): string {
  if (diagnostics.length === 0) return '';
  const { severity = 'error' } = options;
  const files = new Map<string, string[] | null>();
  const linesOf = (file: string): string[] | null => {
    if (options.userDir === undefined || file === '') return null;
    const known = files.get(file);
    if (known !== undefined) return known;
    const lines = readLines(join(options.userDir, file));
    files.set(file, lines);
    return lines;
  };
  const blocks = diagnostics.map((diagnostic) => {
    const { file, line, column, path, code, message, hint } = diagnostic;
    const place = [file === '' ? '(user directory)' : file, line, column]
      .filter((part) => part !== null)
      .join(':');
    const subject = path === '' ? '' : `${path}: `;
    const source = line === null ? undefined : linesOf(file)?.[line - 1];
    return [
      `${severity === 'error' ? '' : `${severity}: `}${place} ${code}`,
      `  ${subject}${message}`,
      ...(source === undefined || line === null ? [] : excerpt(source, line, column)),
      ...(hint === null ? [] : [`  hint: ${hint}`]),
    ].join('\n');
  });
  const count = diagnostics.length;
  const places = new Set(diagnostics.map(({ file }) => file)).size;
  const summary = `${count} ${severity}${count === 1 ? '' : 's'} in ${places} file${places === 1 ? '' : 's'}`;
  return [...blocks, summary].join('\n\n');
}

const maxWidth = 100;

function excerpt(source: string, line: number, column: number | null): string[] {
  const gutter = `${line} | `;
  // Shows the part of a long line around its column.
  const start = column === null || column <= maxWidth - 20 ? 0 : column - 20;
  const shown = printable(source.slice(start, start + maxWidth));
  const lines = [`    ${gutter}${shown}`];
  if (column !== null) {
    const before = printable(source.slice(start, column - 1)).length;
    lines.push(`    ${' '.repeat(gutter.length - 2)}| ${' '.repeat(before)}^`);
  }
  return lines;
}

/** Control characters of a file must not reach the terminal. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is replaced
  return text.replaceAll('\t', '  ').replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '?');
}

/** Null when the file cannot be read: the diagnostic says so itself, or is shown without its line. */
function readLines(path: string): string[] | null {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
