export type { Address } from './address.js';
export { announce, type Announced, type Announcement } from './announce.js';
export { discover, type FoundServer } from './discover.js';
