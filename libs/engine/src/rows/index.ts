/** What the engine decides about: rows, their changes, and the ports to the outside. */

export { applyChange, conflict } from './apply-change.js';
export type * from './deletion-rows.js';
export { drainKey, drainedComputer, isOfRollout, rolloutDrainKey } from './outage-key.js';
export type * from './ports.js';
export * from './row-set.js';
export * from './rows.js';
export * from './usage.js';
