export { LogTail } from './log-tail.js';
export { Progress } from './progress.js';
export { Unread } from './unread.js';
