import { createHash } from 'node:crypto';

/** Longest name of a file of a task. A task may return the file under its name. */
const longestName = 200;
/** Longest shown path, in characters. */
const longestPath = 4_000;
/** Names that Windows keeps for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name of the file system as text. One that is no UTF-8 has its other bytes as `%FF`, so that different names stay different.
 */
export function textOfName(name: Buffer): string {
  const text = name.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(name)) return text;
  return [...name]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`))
    .join('');
}

/** The path below the folder, as people see it: without control characters. */
export function shownPath(path: string): string {
  // eslint-disable-next-line no-control-regex -- names come from programs of vendors
  const plain = path.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
  return plain.length <= longestPath ? plain : `…${plain.slice(1 - longestPath).toWellFormed()}`;
}

/** A name that every file system allows, with the extension of the last part of the path. */
export function safeName(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).toWellFormed();
  const plain = last
    // eslint-disable-next-line no-control-regex -- as above
    .replace(/[\u0000-\u001f\u007f-\u009f\\/:*?"<>|]/g, '_')
    .trim()
    // Windows drops dots and spaces at the end of a name.
    .replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  const named = plain === '' ? '_' : reserved.test(plain) ? `_${plain}` : plain;
  if (named.length <= longestName) return named;
  const ending = /\.[A-Za-z0-9]{1,16}$/.exec(named)?.[0] ?? '';
  return named.slice(0, longestName - ending.length).toWellFormed() + ending;
}

/** What makes a file one and the same for ever. */
export interface Identity {
  lab: string;
  device: string;
  path: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedMs: number;
  sha256: string;
}

/** 32 hexadecimal digits. */
export function idOf({ lab, device, path, size, modifiedMs, sha256 }: Identity): string {
  const text = JSON.stringify([lab, device, path, size, modifiedMs, sha256]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
