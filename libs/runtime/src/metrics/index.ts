export { Meter, type MetricLabels, type Reading } from './meter.js';
export { measureProcess, tellMeasurements } from './process-metrics.js';
