export type { Address } from './address.js';
export { discover, type FoundServer } from './discover.js';
