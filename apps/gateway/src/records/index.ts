export { RecordsController } from './records.controller.js';
export { ResourcesController } from './resources.controller.js';
