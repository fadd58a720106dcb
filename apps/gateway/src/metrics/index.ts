export { Measurements } from './measurements.js';
export { MetricsAccess, MetricsController } from './metrics.controller.js';
export { measureRequests } from './request-metrics.js';
