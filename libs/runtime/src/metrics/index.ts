export { Meter, type MetricLabels, type Reading } from './meter.js';
export { measureProcess, measureRefusals, tellMeasurements } from './process-metrics.js';
