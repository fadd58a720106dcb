export {
  compareCauses,
  compareDiagnostics,
  type Diagnostic,
  fileFault,
  formatPath,
  type Path,
} from './diagnostic.js';
export { formatDiagnostics } from './format.js';
export { readDocument, type ReadDocument } from './read-document.js';
export { maxFileSize, SourceDocument, type Translation } from './source-document.js';
export { parseYaml } from './yaml.js';
