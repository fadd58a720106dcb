export { LogFeed } from './log-feed.js';
export { pruneLogs } from './log-pruning.js';
export { LogsController } from './logs.controller.js';
