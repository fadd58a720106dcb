export { HealthController } from './health.controller.js';
export { LookEvery, Readiness } from './readiness.js';
