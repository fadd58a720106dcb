import { groupings, type Grouping } from './gantt.js';

/** Lengths of the time that the schedule can show, in minutes. */
export const scheduleMinutes = [15, 60, 360, 1_440, 10_080] as const;

/** What the schedule shows, as its address has it. */
export interface ScheduleView {
  /** Default: devices. */
  rows?: Grouping;
  /** Default: an hour. */
  minutes?: (typeof scheduleMinutes)[number];
  /** Shows the critical chain. */
  chain?: true;
  /** The run whose chain is shown. Default: the one that ends last. */
  run?: string;
}

/** Reads the view in an address. What is not of the right form is left out. */
export function scheduleViewOf(search: Readonly<Record<string, unknown>>): ScheduleView {
  const view: ScheduleView = {};
  const rows = groupings.find((each) => each === search['rows']);
  if (rows !== undefined) view.rows = rows;
  const minutes = scheduleMinutes.find((each) => String(each) === String(search['minutes']));
  if (minutes !== undefined) view.minutes = minutes;
  if (String(search['chain']) === 'true') view.chain = true;
  const { run } = search;
  // The router reads a text of digits as a number.
  if ((typeof run === 'string' && run !== '') || typeof run === 'number') view.run = String(run);
  return view;
}
