import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Which version of the agent a data folder runs. Written whole, so that it is readable after a power cut at any time. */
export interface Pointer {
  /** Null: the installed package, to which the keeper belongs. */
  version: string | null;
  /** Whether the version has yet to show that it serves. */
  trial: boolean;
  /** How often the trial was started and neither confirmed nor stopped in order. */
  starts: number;
  /** Where a failed trial goes back to. Null: the installed package. */
  previous: string | null;
  /** Version of the installed package. Undefined: no keeper has seen this pointer yet. */
  installed?: string;
  /** The last trial that failed. */
  failed?: { version: string; why: string; at: string };
}

/** The folder of a data folder that holds packages of the agent, each under its version. */
export const versionsIn = (data: string): string => join(data, 'versions');
export const pointerFile = (data: string): string => join(versionsIn(data), 'current.json');
/** Held by the keeper of a data folder. */
export const keeperLock = (data: string): string => join(data, 'keeper.lock');

/** @returns undefined when there is none, or it cannot be read: then the installed package runs */
export function readPointer(data: string): Pointer | undefined {
  try {
    const pointer = JSON.parse(readFileSync(pointerFile(data), 'utf8')) as Pointer;
    return isPointer(pointer) ? pointer : undefined;
  } catch {
    return undefined;
  }
}

/** @param writer names the draft: the keeper and an update may write at once */
export function writePointer(data: string, pointer: Pointer, writer: 'keeper' | 'update'): void {
  const folder = versionsIn(data);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.draft-${writer}.json`);
  writeFileSync(draft, `${JSON.stringify(pointer, null, 2)}\n`, { mode: 0o600, flush: true });
  giveToOwner(data, folder, draft);
  renameSync(draft, pointerFile(data));
  syncFolder(folder);
}

/** Makes names in a folder durable. Windows does so by itself and cannot open folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Files that root writes belong to the user of the data folder, as which the agent runs. */
export function giveToOwner(data: string, ...paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(data);
  for (const path of paths) chownSync(path, uid, gid);
}

function isPointer({ version, trial, starts, previous }: Pointer): boolean {
  const isPlace = (place: unknown): boolean =>
    place === null || (typeof place === 'string' && isVersion(place));
  return isPlace(version) && isPlace(previous) && typeof trial === 'boolean' && Number.isInteger(starts);
}

/** Whether a text may name a folder of {@link versionsIn}. */
export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+[\w.+-]*$/.test(text);
