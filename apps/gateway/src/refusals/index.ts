export { RefusalLog } from './refusal-log.js';
export { refusalOf } from './refusal-of.js';
export { RefusalsController } from './refusals.controller.js';
