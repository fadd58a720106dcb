export { default } from '../burst/task.js';
