import { ServiceError } from '@lab/contracts';

/**
 * Maps keys to relative paths, one to one, on any file system. Only `a-z 0-9 _ - % .` occur, so file systems that
 * ignore case keep keys apart. No part begins with a dot or exceeds the common limit of 255 bytes, and a key may be a
 * prefix of another. A part of the key between slashes is a folder `<part>.d`; the last part is a file `<part>.o`. The
 * earlier pieces of a part that is too long for one name are folders `<piece>.c`.
 */

/** S3 allows 1024 bytes; its store needs some of them for itself. */
const maxKeyBytes = 1000;

const pieceLength = 200;

/** @throws ServiceError `invalid` for an invalid key */
export function pathOfKey(key: string): string[] {
  checkKey(key);
  const segments = key.split('/');
  return segments.flatMap((segment, index) => {
    const suffix = index === segments.length - 1 ? '.o' : '.d';
    const encoded = encodeSegment(segment);
    const pieces = encoded.match(new RegExp(`.{1,${pieceLength}}`, 'g')) ?? [];
    return pieces.map((piece, position) => `${piece}${position === pieces.length - 1 ? suffix : '.c'}`);
  });
}

/**
 * The common prefix of the keys of everything under a folder; for a file, its key. `undefined`: the path is not one of
 * ours.
 */
export function keyOfPath(parts: readonly string[]): string | undefined {
  let key = '';
  let encoded = '';
  for (const part of parts) {
    const match = /^([a-z0-9_%-]+)\.([cdo])$/.exec(part);
    if (match === null) return undefined;
    encoded += match[1] ?? '';
    if (match[2] === 'c') continue;
    const segment = decodeSegment(encoded);
    if (segment === undefined) return undefined;
    key += match[2] === 'd' ? `${segment}/` : segment;
    encoded = '';
  }
  // If a part goes on in deeper folders, only its complete characters are known here.
  return key + (decodeSegment(encoded.replace(/(%[0-9a-f]{0,2})+$/, '')) ?? '');
}

/** @throws ServiceError `invalid` for a key that no store accepts */
export function checkKey(key: string): void {
  const fault = faultOf(key);
  if (fault === undefined) return;
  throw new ServiceError('invalid', `the key of an object ${fault}`, {
    faults: [{ path: 'key', code: 'key', message: fault }],
  });
}

function faultOf(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (!key.isWellFormed()) return 'must be well-formed Unicode';
  if (/\p{Cc}/u.test(key)) return 'must not hold control characters';
  const bytes = Buffer.byteLength(key);
  return bytes > maxKeyBytes ? `must have at most ${maxKeyBytes} bytes, not ${bytes}` : undefined;
}

/** Stands for an empty part: no encoded character is a `%` alone. */
const emptySegment = '%';

function encodeSegment(segment: string): string {
  if (segment === '') return emptySegment;
  let encoded = '';
  for (const byte of Buffer.from(segment)) {
    const character = String.fromCharCode(byte);
    encoded += /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return encoded;
}

function decodeSegment(encoded: string): string | undefined {
  if (encoded === emptySegment) return '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    // encodeSegment did not write this.
    return undefined;
  }
}
