export { HealthController } from './health.controller.js';
export { Readiness, ReadinessOptions } from './readiness.js';
