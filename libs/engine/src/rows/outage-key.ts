import type { OutageRow } from './rows.js';

/** Keys of devices have a dot and no colon. */
const prefix = { person: 'computer:', rollout: 'rollout:' } as const;

/** The key of the outage that is the drain of a computer by a person. */
export const drainKey = (computer: string): string => `${prefix.person}${computer}`;

/** The key of the drain with which a rollout updates a computer. The drain of a person stays beside it. */
export const rolloutDrainKey = (computer: string): string => `${prefix.rollout}${computer}`;

/** Whether an outage is the drain of a rollout. */
export const isOfRollout = ({ device }: Pick<OutageRow, 'device'>): boolean =>
  device.startsWith(prefix.rollout);

/** The computer that an outage drains; undefined: the outage is of a device. */
export function drainedComputer({ device }: Pick<OutageRow, 'device'>): string | undefined {
  const found = Object.values(prefix).find((each) => device.startsWith(each));
  return found === undefined ? undefined : device.slice(found.length);
}
