export { Queue } from './queue.js';
