/**
 * The log of changes is a sequence of bytes in files of 16 MiB, the segments. A position in it (LSN) is the number of bytes before
 * it. Its text has the upper and lower 32 bits in hexadecimal: `1A/2B3C`.
 */
export const bytesOfSegment = 16 * 1024 * 1024;

const perUpperHalf = 2 ** 32 / bytesOfSegment;

/** A part of one segment. */
export interface Segment {
  /** Its file in `pg_wal`: timeline and number. Names in alphabetical order are in the order of the log. */
  name: string;
  /** Bytes of the file: from `from` on, before `to`. */
  from: number;
  to: number;
}

/** @throws Error when the text is no position */
export function positionOf(lsn: string): number {
  const [, upper = '', lower = ''] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/.exec(lsn) ?? [];
  if (upper === '') throw new Error(`"${lsn}" is no position in the log of changes.`);
  return Number.parseInt(upper, 16) * 2 ** 32 + Number.parseInt(lower, 16);
}

export function segmentName(timeline: number, position: number): string {
  const number = Math.floor(position / bytesOfSegment);
  const parts = [timeline, Math.floor(number / perUpperHalf), number % perUpperHalf];
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
}

/** The parts of the segments between two positions. */
export function segmentsOf(timeline: number, from: number, to: number): Segment[] {
  const segments: Segment[] = [];
  for (let at = from; at < to;) {
    const begin = at - (at % bytesOfSegment);
    const end = Math.min(to, begin + bytesOfSegment);
    segments.push({ name: segmentName(timeline, at), from: at - begin, to: end - begin });
    at = end;
  }
  return segments;
}
