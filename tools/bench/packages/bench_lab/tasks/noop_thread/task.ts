export { default } from '../noop/task.js';
