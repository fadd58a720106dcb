export { writeFrom, type WriteOptions } from './write-from.js';
