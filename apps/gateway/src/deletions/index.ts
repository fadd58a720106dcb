export { DeletionsController } from './deletions.controller.js';
export { sweepFiles } from './file-sweep.js';
export { LegalHoldsController } from './legal-holds.controller.js';
export { deleteOldLooseFiles, removeLooseFiles } from './loose-files.js';
