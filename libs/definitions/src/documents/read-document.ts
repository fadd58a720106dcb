import type { Fault, Schema } from '@lab/contracts';
import { compareDiagnostics, type Diagnostic, type Path } from './diagnostic.js';
import { SourceDocument } from './source-document.js';

export type ReadDocument<T> =
  | {
      ok: true;
      value: T;
      /** Turns faults of the value that were found later into diagnostics with lines. */
      diagnose(faults: readonly Fault[]): Diagnostic[];
    }
  | { ok: false; diagnostics: Diagnostic[] };

/**
 * Reads a text in the format of definition files (YAML with templates) and checks its shape.
 *
 * @param file name for the diagnostics
 * @param schema the required shape
 * @returns the value, or every fault with its line; never throws
 */
export function readDocument<T>(file: string, text: string, schema: Schema<T>): ReadDocument<T> {
  const source = SourceDocument.parse(file, text);
  if (source.isBroken) return { ok: false, diagnostics: source.diagnostics };
  const diagnose = (faults: readonly Fault[]): Diagnostic[] => {
    const own = source.unchecked();
    for (const { path, code, message, hint } of faults)
      own.fault(pathOf(path), code, message, { what: code === 'unknown_field' ? 'key' : 'value', hint });
    return own.diagnostics.sort(compareDiagnostics);
  };
  const checked = schema.check(source.value);
  return checked.ok
    ? { ok: true, value: checked.value, diagnose }
    : { ok: false, diagnostics: diagnose(checked.faults) };
}

/** `tasks[2].devices.mixer` as `['tasks', 2, 'devices', 'mixer']`. */
function pathOf(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
}
