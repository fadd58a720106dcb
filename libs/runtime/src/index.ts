export * from './config/index.js';
export * from './log/index.js';
export * from './metrics/index.js';
export * from './outbound/index.js';
export * from './process/index.js';
export * from './time/index.js';
export { overrideEnvironment, processEnvironment } from './environment.js';
export { runService, type ServiceContext, type ServiceOptions } from './run-service.js';
export { Shutdown } from './shutdown.js';
