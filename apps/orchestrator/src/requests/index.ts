export { orchestratorHandlers, type Parts } from './handlers.js';
