import { hintFor } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';

/** The definitions of one kind by name. It also knows broken ones, so that their users get the right message. */
export class DefinitionIndex<T> {
  private readonly entries = new Map<string, { file: string; value: T | undefined }>();

  /** @param word the word for one definition in messages, for example `device type` */
  constructor(readonly word: string) {}

  /** @param value undefined: the definition is broken */
  add(name: string, file: string, value: T | undefined): void {
    this.entries.set(name, { file, value });
  }

  /** Marks a definition as broken afterwards. */
  breakOff(name: string): void {
    const entry = this.entries.get(name);
    if (entry) entry.value = undefined;
  }

  get(name: string): T | undefined {
    return this.entries.get(name)?.value;
  }

  file(name: string): string | undefined {
    return this.entries.get(name)?.file;
  }

  /** Names of the sound definitions, sorted. */
  names(): string[] {
    return [...this.entries]
      .filter(([, entry]) => entry.value !== undefined)
      .map(([name]) => name)
      .sort();
  }

  values(): T[] {
    return this.names().flatMap((name) => this.get(name) ?? []);
  }

  isBroken(name: string): boolean {
    const entry = this.entries.get(name);
    return entry !== undefined && entry.value === undefined;
  }

  /**
   * The definition to which a document refers.
   *
   * @param ifUnknown what a definition that does not exist is; a broken one is always a fault
   * @returns undefined when there is no sound one; the reason is then recorded in the document
   */
  need(
    source: SourceDocument,
    path: Path,
    name: string,
    ifUnknown: 'fault' | 'warn' = 'fault',
  ): T | undefined {
    const entry = this.entries.get(name);
    source.uses.push({ kind: this.word, name, value: entry?.value });
    if (entry?.value !== undefined) return entry.value;
    if (entry) {
      source.fault(path, 'depends_on_broken', `the ${this.word} "${name}" has errors of its own`, {
        hint: `see ${entry.file}`,
      });
    } else {
      const effect = ifUnknown === 'warn' ? '; work that needs one is refused' : '';
      const message = `there is no ${this.word} "${name}"${effect}`;
      source[ifUnknown](path, `unknown_${this.word.replaceAll(' ', '_')}`, message, {
        hint: hintFor(name, this.entries.keys()),
      });
    }
    return undefined;
  }
}
