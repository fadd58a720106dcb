export { default } from '../calls/task.js';
