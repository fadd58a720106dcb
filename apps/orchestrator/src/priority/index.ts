export { lowerProcessPriority, lowerThreadPriority } from './low-priority.js';
