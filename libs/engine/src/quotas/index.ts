/** Limits of what owners and laboratories store. */

export {
  nameOf,
  nearlyUsed,
  namesWithQuota,
  type NewWork,
  noQuotas,
  quotaOf,
  type Quotas,
  type QuotaTable,
  refuseShortage,
  shareOf,
  type Shortage,
  shortageFor,
  warnedShare,
} from './quotas.js';
