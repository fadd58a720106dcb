export { type BuiltCode, CodeCache } from './code-cache.js';
export { FileMemory, Round } from './file-memory.js';
export { ModuleStore, readIfThere, sha256 } from './module-store.js';
export { isMissing } from './whole-files.js';
export { bundlePython, isPython } from './python-bundle.js';
export { pythonImports } from './python-imports.js';
export { productLibraries } from './product-libraries.js';
