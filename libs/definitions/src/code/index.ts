export { type BuiltCode, CodeCache } from './code-cache.js';
export { FileMemory, Round } from './file-memory.js';
export { isMissing, ModuleStore, sha256 } from './module-store.js';
export { productLibraries } from './product-libraries.js';
