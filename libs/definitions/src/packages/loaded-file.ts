import type { ModuleReference } from '@lab/contracts';
import type { SourceDocument } from '../documents/index.js';
import type { FoundDefinition } from './discover.js';

/** A definition file with its code, as read from a package. */
export interface LoadedFile {
  definition: FoundDefinition;
  packageName: string;
  source: SourceDocument;
  /** The same object for as long as the text does not change. */
  text: object;
  /** Null when there is no code beside it, or the code has errors. */
  module: ModuleReference | null;
  codeIsBroken: boolean;
}
