import './queue.css';
export { Queue } from './queue.js';
