export { readDevice } from './device-file.js';
export { hasEosNames, translatedFromEos } from './eos-documents.js';
export { DefinitionIndex } from './index-of.js';
export { canonicalAddress, readLab, serviceComputer, statedName } from './lab-file.js';
export { readProtocol } from './protocol-file.js';
export { readTask } from './task-file.js';
