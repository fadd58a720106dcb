export { update, type Outcome, type Stage, type UpdateOptions } from './update.js';
