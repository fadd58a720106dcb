/** Deletions of work that has ended, and legal holds that forbid them. */

export { Deletions } from './deletions.js';
export { LegalHolds } from './legal-holds.js';
