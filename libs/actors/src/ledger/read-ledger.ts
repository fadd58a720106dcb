import { segmentNames, type LedgerDisk, type SegmentName } from './ledger-disk.js';
import type { LedgerRecord } from './records.js';
import { highestGeneration, parseSegment, type Segment, withoutZeros } from './segment.js';

/** The first record of a segment. The given number of records after it summarise all earlier records. */
export interface Checkpoint {
  type: 'checkpoint';
  records: number;
}

export interface ReadSegment extends Segment {
  name: SegmentName;
  /** Size of the file in bytes; 0: there is none. */
  bytes: number;
  /** Its checkpoint is complete. */
  whole: boolean;
}

export interface LedgerReading {
  segments: ReadSegment[];
  /** The segment in use; undefined: there is none. */
  current: ReadSegment | undefined;
  /** The valid records, in order. */
  records: LedgerRecord[];
  /** The highest generation of all records on the disk, including stale ones. */
  generation: number;
  damage:
    | { /** Describes durable records that can no longer be read. */ text: string; in: ReadSegment }
    | undefined;
}

/** Reads a ledger without changing it. */
export async function readLedger(disk: Pick<LedgerDisk, 'read'>): Promise<LedgerReading> {
  const found = await Promise.all(
    segmentNames.map(async (name) => readSegment(name, (await disk.read(name)) ?? new Uint8Array(0))),
  );
  const segments = found.map(({ segment }) => segment).toSorted((a, b) => b.generation - a.generation);
  const generation = Math.max(...found.map(({ highest }) => highest));
  const current = segments.find(({ whole }) => whole);
  const shown = current ?? segments.find(({ texts }) => texts.length > 0) ?? segments[0];
  const reading = { segments, current, generation, records: shown === undefined ? [] : recordsOf(shown) };
  if (shown === undefined || generation === 0) return { ...reading, damage: undefined };
  if (current === undefined) {
    return { ...reading, damage: { text: 'no segment begins with a whole checkpoint', in: shown } };
  }
  const text = `what followed byte ${current.end} of ${current.name} is lost`;
  return { ...reading, damage: current.tail === 'damaged' ? { text, in: current } : undefined };
}

function readSegment(name: SegmentName, bytes: Uint8Array): { segment: ReadSegment; highest: number } {
  const written = withoutZeros(bytes);
  const segment = parseSegment(written);
  const checkpoint = checkpointOf(segment);
  const whole = checkpoint !== undefined && segment.texts.length > checkpoint.records;
  const highest = highestGeneration(written, segment);
  return { segment: { ...segment, name, bytes: bytes.length, whole }, highest };
}

function checkpointOf({ texts: [first] }: Segment): Checkpoint | undefined {
  if (first === undefined) return undefined;
  const record = JSON.parse(first) as Checkpoint | LedgerRecord;
  return record.type === 'checkpoint' ? record : undefined;
}

/** Parses records. A ledger wrote them, so a correct checksum implies a correct shape. */
function recordsOf({ texts }: Segment): LedgerRecord[] {
  return texts
    .map((text) => JSON.parse(text) as Checkpoint | LedgerRecord)
    .filter((record): record is LedgerRecord => record.type !== 'checkpoint');
}
