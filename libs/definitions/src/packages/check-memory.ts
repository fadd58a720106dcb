import type { LoadedFile } from './loaded-file.js';

interface Checked {
  /** The code beside the file when it was checked. */
  code: string;
  uses: readonly { kind: string; name: string; value: unknown }[];
  value: unknown;
}

/**
 * Results of checks, so that a file is checked again only when its text, its code or something that it refers to has
 * changed. Only faultless results are kept; they go with the text or definition that they belong to.
 */
export class CheckMemory {
  private readonly checks = new WeakMap<object, Checked>();
  private readonly derivations = new WeakMap<object, unknown>();

  /**
   * @param lookUp what a name stands for at this time
   * @param read makes the definition; records faults and what it looked up in the document of the file
   * @returns of an unchanged file the very same object as before, else what `read` gives
   */
  recall<T>(file: LoadedFile, lookUp: (kind: string, name: string) => unknown, read: () => T): T {
    const { source, text } = file;
    const code = file.codeIsBroken ? 'broken' : JSON.stringify(file.module);
    const known = this.checks.get(text);
    const isCurrent =
      known?.code === code && known.uses.every(({ kind, name, value }) => lookUp(kind, name) === value);
    if (isCurrent) return known.value as T;
    const value = read();
    if (source.isBroken) this.checks.delete(text);
    else this.checks.set(text, { code, uses: [...source.uses], value });
    return value;
  }

  /** What was made of a definition before, else what `make` gives. */
  derived<K extends object, T>(definition: K, make: (definition: K) => T): T {
    const known = this.derivations.get(definition);
    if (known !== undefined) return known as T;
    const made = make(definition);
    this.derivations.set(definition, made);
    return made;
  }
}
