import { workKinds, type WorkKind } from './submissions.js';

/** Which work a list shows, as its address has it. */
export interface WorkFilter {
  /** Default: runs. */
  kind?: WorkKind;
  state?: string;
  owner?: string;
  lab?: string;
  /** A part of the name. */
  text?: string;
  /** First day on which the work was submitted, as `2026-11-20`. */
  from?: string;
  /** Last day. */
  to?: string;
  /** `true`: only archived work. `all`: also archived work. Default: no archived work. */
  archived?: 'true' | 'all';
}

/** Reads the filter in an address. What is not of the right form is left out. */
export function workFilterOf(search: Readonly<Record<string, unknown>>): WorkFilter {
  const filter: WorkFilter = {};
  const kind = workKinds.find((each) => each === search['kind']);
  if (kind !== undefined) filter.kind = kind;
  for (const field of ['state', 'owner', 'lab', 'text'] as const) {
    const value = search[field];
    // The router reads a text of digits as a number.
    if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      filter[field] = String(value);
  }
  for (const field of ['from', 'to'] as const) {
    const value = search[field];
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) filter[field] = value;
  }
  const archived = (['true', 'all'] as const).find((each) => each === String(search['archived']));
  if (archived !== undefined) filter.archived = archived;
  return filter;
}
