export { Backoff, backoffMs, type BackoffLimits } from './backoff.js';
export { editDistance } from './edit-distance.js';
export { jsonEqual } from './json-equal.js';
export type { Clock, Ids, Log, Random, Timers } from './ports.js';
export { VirtualClock } from './virtual-clock.js';
