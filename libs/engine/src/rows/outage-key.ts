import type { OutageRow } from './rows.js';

/** Keys of devices have a dot and no colon. */
const prefix = 'computer:';

/** The key of the outage that is the drain of a computer. */
export const drainKey = (computer: string): string => `${prefix}${computer}`;

/** The computer that an outage drains; undefined: the outage is of a device. */
export function drainedComputer({ device }: Pick<OutageRow, 'device'>): string | undefined {
  return device.startsWith(prefix) ? device.slice(prefix.length) : undefined;
}
