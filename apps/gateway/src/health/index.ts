export { HealthController } from './health.controller.js';
export { type HealthReport, LookEvery, type PartHealth, Readiness } from './readiness.js';
