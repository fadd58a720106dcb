/** The record of a finished simulation. */

export { recordOf, stuckTasks, waitedBy } from './record.js';
