import { mkdir } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack, type Pack } from 'tar-stream';
import { bytesOfSegment, type BackupSource, type CopiedFile } from '@lab/persistence/embedded';
import type { Vault } from './vault.js';

/** A whole copy of the database. */
export interface CopyNote {
  id: string;
  /** Copies of one line have a log of changes without a gap between them. */
  line: string;
  /** When it began and when it was complete, in ISO 8601. It can be restored to any moment from `completedAt` on. */
  begunAt: string;
  completedAt: string;
  timeline: number;
  /** Segment in which the log of changes that it needs begins. */
  firstSegment: string;
}

const contentOf = (id: string): string => `copies/${id}/content`;
const noteOf = (id: string): string => `copies/${id}/note.json`;

/** A copy that is stored, but not usable before {@link complete}. */
export interface MadeCopy {
  /** Where the segment begins from which on the log of changes must be stored. */
  logFrom: number;
  logTo: number;
  /**
   * Makes the copy usable, after the log up to `logTo` was stored.
   *
   * @param line that it continues; undefined: it begins one
   */
  complete(now: number, line: string | undefined): Promise<CopyNote>;
}

/** Stores a whole copy of the running database. */
export async function makeCopy(
  vault: Vault,
  source: BackupSource,
  recipient: string,
  now: number,
): Promise<MadeCopy> {
  const begunAt = new Date(now).toISOString();
  const id = begunAt.replaceAll(':', '-');
  const tar = pack();
  const stored = vault.put(contentOf(id), tar, recipient);
  const copied = source
    .copy((file) => addTo(tar, file))
    .then((ends) => {
      tar.finalize();
      return ends;
    });
  for (const part of [copied, stored]) part.catch((error: Error) => tar.destroy(error));
  const [ends] = await Promise.all([copied, stored]);
  return {
    logFrom: ends.from - (ends.from % bytesOfSegment),
    logTo: ends.to,
    async complete(at, line = id) {
      const note: CopyNote = {
        ...{ id, line, begunAt, completedAt: new Date(at).toISOString() },
        ...{ timeline: ends.timeline, firstSegment: source.segmentAt(ends.from) },
      };
      await vault.note(noteOf(id), note);
      return note;
    },
  };
}

function addTo(tar: Pack, file: CopiedFile): Promise<void> {
  return new Promise((done, fail) => {
    const added = (error?: Error | null): void => (error == null ? done() : fail(error));
    const name = file.path;
    if (file.kind === 'folder') tar.entry({ name, type: 'directory', mode: 0o700 }, added);
    else
      pipeline(Readable.from(file.content), tar.entry({ name, size: file.size, mode: 0o600 }, added)).catch(
        fail,
      );
  });
}

/** The usable copies, the oldest first. */
export async function listCopies(vault: Vault): Promise<CopyNote[]> {
  const notes: CopyNote[] = [];
  for (const { key } of await vault.list('copies/')) {
    if (!key.endsWith('/note.json')) continue;
    const note = await vault.noted<CopyNote>(key);
    if (note !== undefined) notes.push(note);
  }
  return notes.sort((a, b) => (a.completedAt < b.completedAt ? -1 : 1));
}

/** A line, and the moments that can be restored from its copies, in ISO 8601. */
export interface Line {
  from: string;
  to: string;
  /** The oldest first. */
  copies: CopyNote[];
}

const reachOf = (line: string): string => `lines/${line}.json`;

/** Every transaction of the line that was acknowledged before a moment is stored. @param now milliseconds since 1970 */
export async function noteReach(vault: Vault, line: string, now: number): Promise<void> {
  await vault.note(reachOf(line), { at: new Date(now).toISOString() });
}

/** The oldest first. */
export async function listLines(vault: Vault): Promise<Line[]> {
  const lines = new Map<string, CopyNote[]>();
  for (const copy of await listCopies(vault)) lines.set(copy.line, [...(lines.get(copy.line) ?? []), copy]);
  const listed: Line[] = [];
  for (const [line, copies] of lines) {
    const from = copies[0]?.completedAt ?? '';
    const reach = (await vault.noted<{ at: string }>(reachOf(line)))?.at ?? from;
    listed.push({ from, to: reach > from ? reach : from, copies });
  }
  return listed;
}

/** Removes a copy, and its line with its last copy. An interruption leaves no note without content. */
export async function removeCopy(vault: Vault, { id, line }: CopyNote): Promise<void> {
  await vault.delete(noteOf(id));
  await vault.delete(contentOf(id));
  if (!(await listCopies(vault)).some((copy) => copy.line === line)) await vault.delete(reachOf(line));
}

/** Removes contents without a note that an interrupted copy left. */
export async function removeUnfinished(vault: Vault): Promise<void> {
  const keys = new Set((await vault.list('copies/')).map(({ key }) => key));
  for (const key of keys) {
    const [, id = ''] = key.split('/');
    if (key === contentOf(id) && !keys.has(noteOf(id))) await vault.delete(key);
  }
}

/** Writes the files of a copy into a folder. */
export async function fetchCopy(vault: Vault, secret: string, id: string, folder: string): Promise<void> {
  await unpack(await vault.get(contentOf(id), secret), folder);
}

/**
 * Writes the files of an archive into a folder.
 *
 * @throws Error when a path of it leads out of the folder, or it has anything but files and folders
 */
export async function unpack(archive: Readable, folder: string): Promise<void> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const reader = extract();
  reader.on('entry', ({ name, type, mode = 0o600 }, content, next) => {
    const write = async (): Promise<void> => {
      const path = resolve(root, name);
      if (relative(root, path).split(sep)[0] === '..') throw new Error(`${name} leads out of the folder.`);
      if (type === 'directory') {
        await mkdir(path, { recursive: true, mode: 0o700 });
        content.resume();
        return;
      }
      if (type !== 'file') throw new Error(`${name} is neither a file nor a folder.`);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(path, { mode: mode & 0o777 }));
    };
    write().then(
      () => next(),
      (error: unknown) => reader.destroy(error as Error),
    );
  });
  await pipeline(archive, reader);
}
