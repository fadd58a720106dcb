import type { LoadedFile } from './loaded-file.js';

interface Checked {
  /** The code beside the file at the time of the check. */
  code: string;
  uses: readonly { kind: string; name: string; value: unknown }[];
  value: unknown;
}

/**
 * Keeps results of checks, so that a file is checked again only when its text, its code or a referenced definition has
 * changed. It keeps only results without faults and warnings, because the hint of a finding depends on further definitions. It
 * keeps them for as long as their text or definition exists.
 */
export class CheckMemory {
  private readonly checks = new WeakMap<object, Checked>();
  private readonly derivations = new WeakMap<object, unknown>();

  /**
   * @param lookUp returns the current value of a name
   * @param read makes the definition; records faults, warnings and look-ups in the document of the file
   * @returns for an unchanged file the same object as before, otherwise the result of `read`
   */
  recall<T>(file: LoadedFile, lookUp: (kind: string, name: string) => unknown, read: () => T): T {
    const { source, text } = file;
    const code = file.codeIsBroken ? 'broken' : JSON.stringify(file.module);
    const known = this.checks.get(text);
    const isCurrent =
      known?.code === code && known.uses.every(({ kind, name, value }) => lookUp(kind, name) === value);
    if (isCurrent) return known.value as T;
    const value = read();
    if (source.isBroken || source.warnings.length > 0) this.checks.delete(text);
    else this.checks.set(text, { code, uses: [...source.uses], value });
    return value;
  }

  /** The earlier result for a definition, otherwise the result of `make`. */
  derived<K extends object, T>(definition: K, make: (definition: K) => T): T {
    const known = this.derivations.get(definition);
    if (known !== undefined) return known as T;
    const made = make(definition);
    this.derivations.set(definition, made);
    return made;
  }
}
