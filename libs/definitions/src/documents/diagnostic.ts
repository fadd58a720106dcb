/** One thing wrong in the files of a package. */
export interface Diagnostic {
  /** Path relative to the user directory, with forward slashes. */
  file: string;
  /** From 1; null when the fault concerns the whole file. */
  line: number | null;
  /** From 1; null when it is unknown. */
  column: number | null;
  /** Path inside the document, for example `tasks[2].devices.mixer`; empty for the document as a whole. */
  path: string;
  /** A stable identifier of the broken rule, for example `unknown_device_type`. */
  code: string;
  message: string;
  /** What would be right, if that can be said. */
  hint: string | null;
}

/** A fault of a whole file, or of the user directory. */
export function fileFault(
  file: string,
  code: string,
  message: string,
  hint: string | null = null,
): Diagnostic {
  return { file, line: null, column: null, path: '', code, message, hint };
}

export type Path = readonly (string | number)[];

/** `['tasks', 2, 'devices', 'mixer']` as `tasks[2].devices.mixer`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** Order of the diagnostics of several files: causes before the definitions that they break, each by place. */
export function compareCauses(a: Diagnostic, b: Diagnostic): number {
  return (
    Number(a.code === 'depends_on_broken') - Number(b.code === 'depends_on_broken') ||
    compareDiagnostics(a, b)
  );
}

/** Order of diagnostics: by file, then line, then column, then path. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    order(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    order(a.path, b.path) ||
    order(a.code, b.code)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
