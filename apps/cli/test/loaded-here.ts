import ts from 'typescript';
import '../src/pkg/check.js';

/**
 * Imported by tests that type commands of authors in a folder of their own. esbuild and TypeScript keep the folder in
 * which they are first used, and cannot work when it is gone.
 */
export const startedIn = ts.sys.getCurrentDirectory();
