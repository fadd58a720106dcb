import type { Wire } from './framework.js';

/**
 * Dates and times of SiLA as texts of ISO 8601: `2026-03-14+01:00`, `09:30:00.250Z`, `2026-03-14T09:30:00Z`. SiLA always has a
 * time zone.
 */

const datePart = String.raw`(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})`;
const timePart = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:\.(?<millisecond>\d{3}))?`;
const zonePart = String.raw`(?<zone>Z|[+-]\d{2}:\d{2})`;

const forms = {
  Date: { pattern: new RegExp(`^${datePart}${zonePart}$`), example: '2026-03-14+01:00' },
  Time: { pattern: new RegExp(`^${timePart}${zonePart}$`), example: '09:30:00+01:00' },
  Timestamp: {
    pattern: new RegExp(`^${datePart}T${timePart}${zonePart}$`),
    example: '2026-03-14T09:30:00+01:00',
  },
} as const;

export type TimeType = keyof typeof forms;

/** @returns undefined when the text has another form */
export function timeToWire(type: TimeType, value: string): Wire | undefined {
  const groups = forms[type].pattern.exec(value)?.groups;
  if (groups === undefined) return undefined;
  const { zone = 'Z', ...numbers } = groups;
  const wire = Object.fromEntries(
    Object.entries(numbers)
      .filter(([, digits]) => digits !== undefined)
      .map(([name, digits]) => [name, Number(digits)]),
  );
  const sign = zone.startsWith('-') ? -1 : 1;
  const [hours = 0, minutes = 0] = zone === 'Z' ? [0, 0] : zone.slice(1).split(':').map(Number);
  return { ...wire, timezone: { hours: sign * hours, minutes } };
}

export function timeExample(type: TimeType): string {
  return forms[type].example;
}

export function timeFromWire(type: TimeType, wire: Wire): string {
  const number = (name: string): number => Number(wire[name] ?? 0);
  const digits = (name: string, length = 2): string => String(number(name)).padStart(length, '0');
  const date = `${digits('year', 4)}-${digits('month')}-${digits('day')}`;
  const fraction = number('millisecond') === 0 ? '' : `.${digits('millisecond', 3)}`;
  const time = `${digits('hour')}:${digits('minute')}:${digits('second')}${fraction}`;
  const zone = zoneOf((wire['timezone'] ?? {}) as Wire);
  if (type === 'Date') return `${date}${zone}`;
  return type === 'Time' ? `${time}${zone}` : `${date}T${time}${zone}`;
}

function zoneOf(timezone: Wire): string {
  const hours = Number(timezone['hours'] ?? 0);
  const minutes = Number(timezone['minutes'] ?? 0);
  if (hours === 0 && minutes === 0) return 'Z';
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${hours < 0 ? '-' : '+'}${two(Math.abs(hours))}:${two(minutes)}`;
}
