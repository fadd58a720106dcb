import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileMemory, isMissing, isPython, pythonImports, type Round } from '../code/index.js';
import type { SourceDocument } from '../documents/index.js';
import { hasEosNames, translatedFromEos } from '../files/index.js';
import type { FoundDefinition, FoundPackage } from './discover.js';

/**
 * Finds the packages of EOS and translates their documents.
 *
 * A package is one of EOS if the code of a definition imports `eos`, or if a document has a value that only EOS knows. Then all of
 * its documents are.
 */
export class EosPackages {
  private readonly imports = new FileMemory(importsEos);
  private readonly named = new WeakMap<SourceDocument, boolean>();
  private readonly translated = new WeakMap<SourceDocument, SourceDocument>();

  /** @param documents of the definitions of the package */
  async has(found: FoundPackage, documents: readonly SourceDocument[], round: Round): Promise<boolean> {
    if (documents.some((document) => this.isNamed(document))) return true;
    const entries = found.definitions.flatMap(({ code }) => (code !== null && isPython(code) ? [code] : []));
    const importing = entries.map((entry) => this.imports.of(join(found.root, entry), round));
    return (await Promise.all(importing)).some(Boolean);
  }

  /** The document in the terms of this service; the same object for the same document. */
  translate({ kind }: FoundDefinition, document: SourceDocument): SourceDocument {
    const known = this.translated.get(document) ?? translatedFromEos(kind, document);
    this.translated.set(document, known);
    return known;
  }

  private isNamed(document: SourceDocument): boolean {
    const known = this.named.get(document) ?? hasEosNames(document.value);
    this.named.set(document, known);
    return known;
  }
}

async function importsEos(path: string): Promise<boolean> {
  try {
    const text = await readFile(path, 'utf8');
    return pythonImports(text).some(({ dots, module }) => dots === 0 && module[0] === 'eos');
  } catch (error) {
    // The bundle reports what cannot be read.
    if (isMissing(error)) return false;
    throw error;
  }
}
