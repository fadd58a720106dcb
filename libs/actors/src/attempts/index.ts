export { ProcessPool, type Lease } from './process-pool.js';
export { TaskAttempts } from './task-attempts.js';
