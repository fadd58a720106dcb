export { Meter, type MetricLabels, type Reading } from './meter.js';
export { measureProcess, measureRefusals, refusalsIn, tellMeasurements } from './process-metrics.js';
