export { ModuleStore, productLibraries, pythonImports } from './code/index.js';
export {
  compareCauses,
  formatDiagnostics,
  formatPath,
  readDocument,
  type Diagnostic,
  type ReadDocument,
} from './documents/index.js';
export { serviceComputer } from './files/index.js';
export * from './packages/index.js';
export { render, type Rendered, type TemplateError } from './templates/index.js';
