export { Bench } from './bench.js';
export { BenchDevice } from './bench-device.js';
export { BenchResource } from './bench-resource.js';
