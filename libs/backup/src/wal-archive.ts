import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { bytesOfSegment, segmentsOf, type BackupSource } from '@lab/persistence/embedded';
import type { Vault } from './vault.js';

/** The server has removed a part of the log of changes before it was copied. */
export class GapError extends Error {
  override readonly name = 'GapError';
}

/**
 * The log of changes in a backup. A segment is stored in pieces while the server writes to it, `wal/<segment>/<from>-<to>`, then as
 * a whole, `wal/<segment>/whole`.
 */
const keyOf = (segment: string, piece: string): string => `wal/${segment}/${piece}`;
const whole = 'whole';

const offset = (at: number): string => at.toString(16).padStart(8, '0');

/**
 * Stores the log between two positions.
 *
 * @throws GapError
 */
export async function storeLog(
  vault: Vault,
  source: BackupSource,
  recipient: string,
  from: number,
  to: number,
): Promise<void> {
  for (const part of segmentsOf(source.timeline, from, to)) {
    const ends = part.to === bytesOfSegment;
    const bytes = await source.read(ends ? { ...part, from: 0 } : part);
    if (bytes === undefined) throw new GapError(`PostgreSQL has removed ${part.name} of its log of changes.`);
    await vault.put(
      keyOf(part.name, ends ? whole : `${offset(part.from)}-${offset(part.to)}`),
      bytes,
      recipient,
    );
    if (!ends) continue;
    for (const { key } of await vault.list(keyOf(part.name, '')))
      if (key !== keyOf(part.name, whole)) await vault.delete(key);
  }
}

/** The stored pieces of one segment that follow each other without a gap, and the byte before which they end. */
interface Stored {
  name: string;
  keys: string[];
  to: number;
}

/** What is stored of the segments of a timeline, from one segment on and up to the first gap. */
async function storedFrom(vault: Vault, first: string): Promise<Stored[]> {
  const pieces = new Map<string, string[]>();
  for (const { key } of await vault.list(keyOf(first.slice(0, 8), '').slice(0, -1))) {
    const [, name = '', piece = ''] = key.split('/');
    if (name >= first) pieces.set(name, [...(pieces.get(name) ?? []), piece]);
  }
  const stored: Stored[] = [];
  for (let name = first; ; name = after(name)) {
    const found = storedOf(name, pieces.get(name) ?? []);
    if (found.to > 0) stored.push(found);
    if (found.to < bytesOfSegment) return stored;
  }
}

function storedOf(name: string, pieces: readonly string[]): Stored {
  if (pieces.includes(whole)) return { name, keys: [keyOf(name, whole)], to: bytesOfSegment };
  const keys: string[] = [];
  let to = 0;
  for (const piece of [...pieces].sort()) {
    const [from = NaN, end = NaN] = piece.split('-').map((part) => Number.parseInt(part, 16));
    if (from > to) break;
    keys.push(keyOf(name, piece));
    to = Math.max(to, end);
  }
  return { name, keys, to };
}

/** The name of the next segment. */
function after(name: string): string {
  const number = (BigInt(`0x${name.slice(8, 16)}`) << 8n) + BigInt(`0x${name.slice(16)}`) + 1n;
  const parts = [number >> 8n, number & 255n].map((part) => part.toString(16).toUpperCase().padStart(8, '0'));
  return name.slice(0, 8) + parts.join('');
}

/** The position before which the log is stored without a gap; undefined: nothing of the first segment is stored. */
export async function storedUpTo(vault: Vault, first: string): Promise<number | undefined> {
  const last = (await storedFrom(vault, first)).at(-1);
  if (last === undefined) return undefined;
  const number = Number.parseInt(last.name.slice(8, 16), 16) * 256 + Number.parseInt(last.name.slice(16), 16);
  return number * bytesOfSegment + last.to;
}

/** Writes the log from a segment on into a folder, as the server wrote it. @returns the number of segments */
export async function fetchLog(vault: Vault, secret: string, first: string, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const stored = await storedFrom(vault, first);
  for (const { name, keys } of stored) {
    const segment = Buffer.alloc(bytesOfSegment);
    for (const key of keys) {
      const piece = key.split('/').at(-1) ?? '';
      const bytes = await buffer(await vault.get(key, secret));
      bytes.copy(segment, piece === whole ? 0 : Number.parseInt(piece, 16));
    }
    await writeFile(join(folder, name), segment);
  }
  return stored.length;
}

/** Removes the log before a segment, of its timeline and of earlier ones. */
export async function removeLogBefore(vault: Vault, first: string): Promise<void> {
  for (const { key } of await vault.list('wal/')) {
    const [, name = ''] = key.split('/');
    if (name < first) await vault.delete(key);
  }
}
