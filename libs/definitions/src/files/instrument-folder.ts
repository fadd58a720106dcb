import type { InstrumentFolder, JsonValue } from '@lab/contracts';
import { z } from 'zod';
import type { Path, SourceDocument } from '../documents/index.js';
import { readShape } from './shape.js';

const day = 86_400;

const folderShape = z.strictObject({
  folder: z.string(),
  pattern: z.string().min(1, 'is empty; write * for every file').default('*'),
  stable_s: z.number().min(0).max(day).default(5),
  poll_s: z.number().min(0.2).max(3_600).default(2),
  max_size_mb: z.number().positive().max(1_000_000).default(4_096),
  since: z.iso.datetime({ offset: true, error: 'must be a moment such as 2026-11-28T08:00:00Z' }).optional(),
  grace_s: z
    .number()
    .min(0)
    .max(7 * day)
    .default(600),
  name: z.string().optional(),
  afterwards: z.enum(['keep', 'move', 'delete'], 'must be keep, move or delete').default('keep'),
  moved_to: z.string().default('taken'),
});

/** Reads `files` of a device. Faults are recorded in the document. @returns undefined when it cannot be used */
export function readInstrumentFolder(
  source: SourceDocument,
  path: Path,
  value: JsonValue,
): InstrumentFolder | undefined {
  const given = readShape(source, path, value, folderShape);
  if (given === undefined) return undefined;
  const fault = (key: string, code: string, message: string, hint?: string): void =>
    source.fault([...path, key], code, message, { hint });
  const { folder, pattern, name, moved_to: movedTo } = given;
  if (folder !== undefined && !isAbsolute(folder))
    fault(
      'folder',
      'bad_folder',
      `"${folder}" is not an absolute path`,
      String.raw`write for example /srv/reader, D:\Results or \\server\share\results`,
    );
  if (pattern !== undefined && !isBelow(pattern))
    fault(
      'pattern',
      'bad_pattern',
      `"${pattern}" does not stay below the folder`,
      'write for example *.csv or run_*/*.csv',
    );
  if (movedTo !== undefined && (!isBelow(movedTo) || /[*?[\]{}]/.test(movedTo)))
    fault(
      'moved_to',
      'bad_folder',
      `"${movedTo}" is not a folder below the folder`,
      'write for example taken',
    );
  if (name !== undefined) {
    const wrong = faultOfName(name);
    if (wrong !== undefined)
      fault(
        'name',
        'bad_name_pattern',
        wrong,
        String.raw`write for example '^(?<sample_id>[A-Z0-9]+)_.*\.csv$'`,
      );
  }
  const parsed = folderShape.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** On Windows or elsewhere: the file may be read on another system than that of the computer. */
function isAbsolute(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\[^\\]|\/)/.test(path);
}

function isBelow(path: string): boolean {
  return (
    path !== '' && !isAbsolute(path) && !path.split(/[\\/]/).some((part) => part === '..' || part === '.')
  );
}

function faultOfName(name: string): string | undefined {
  try {
    // An alternative that matches nothing gives the names of all groups.
    const groups = Object.keys(new RegExp(`${name}|`, 'u').exec('')?.groups ?? {});
    return groups.length === 1 ? undefined : `has ${groups.length} named groups; it needs one`;
  } catch (error) {
    return `is not a regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
