export { formatDiagnostics } from './documents/format.js';
export { compareDiagnostics, formatPath, type Diagnostic } from './documents/diagnostic.js';
export { readDocument, type ReadDocument } from './documents/read-document.js';
export { productLibraries } from './code/product-libraries.js';
export { ModuleStore } from './code/module-store.js';
export { Catalog, type DefinitionOrigin } from './packages/catalog.js';
export { contentHash } from './packages/canonical.js';
export {
  createLoader,
  loadPackages,
  type DefinitionLoader,
  type LoadOptions,
} from './packages/load-packages.js';
export { validateProtocolText } from './packages/validate-protocol.js';
export { serviceComputer } from './files/lab-file.js';
export { render, type Rendered, type TemplateError } from './templates/render.js';
