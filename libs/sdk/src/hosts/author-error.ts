import { inspect, types } from 'node:util';
import type { AuthorError, ModuleReference } from '@lab/contracts';

const maxMessageLength = 8_192;
const maxFrames = 30;
const maxCauses = 4;

/** The addresses of sources in a bundled module: `package:///<package>/<path in the package>`. */
const frame = /^\s+at (?:(.*) \()?package:\/\/\/(.+?):(\d+):(\d+)\)?$/;

/**
 * Describes a thrown value for people: its message, and a stack with the frames of the package only, printed as
 * `color_lab/tasks/mix/task.ts:12:3`. Never throws, for any thrown value.
 */
export function describeError(thrown: unknown, module: Pick<ModuleReference, 'package'>): AuthorError {
  const message = cut(messageOf(thrown));
  const stack = stackOf(thrown, module, maxCauses);
  return stack === undefined ? { message } : { message, stack };
}

/** The frames of a stack that lie in the package, one per line. */
export function packageFrames(stack: string, module: Pick<ModuleReference, 'package'>): string[] {
  const frames: string[] = [];
  for (const line of stack.split('\n')) {
    const found = frame.exec(line);
    if (found === null) continue;
    const [, name, url, row, column] = found;
    const path = decoded(url ?? '');
    if (!path.startsWith(`${module.package}/`) || path.includes('/node_modules/')) continue;
    const place = `${path}:${row}:${column}`;
    frames.push(name === undefined || name === '' ? `    at ${place}` : `    at ${name} (${place})`);
    if (frames.length === maxFrames) break;
  }
  return frames;
}

function stackOf(
  thrown: unknown,
  module: Pick<ModuleReference, 'package'>,
  causes: number,
): string | undefined {
  if (!isError(thrown)) return undefined;
  const name = textOf(thrown, 'name') ?? 'Error';
  const lines = [
    cut(`${name}: ${messageOf(thrown)}`),
    ...packageFrames(textOf(thrown, 'stack') ?? '', module),
  ];
  const deviceStack = textOf(thrown, 'deviceStack');
  if (deviceStack !== undefined) {
    lines.push(`  in the device ${textOf(thrown, 'device') ?? ''}:`, deviceStack);
  }
  const cause = causes > 0 ? stackOf(read(thrown, 'cause'), module, causes - 1) : undefined;
  if (cause !== undefined) lines.push(`caused by ${cause}`);
  return lines.join('\n');
}

function textOf(error: Error, key: string): string | undefined {
  const value = read(error, key);
  return typeof value === 'string' ? value : undefined;
}

/** Reads a property of an author's error, which may be a getter that throws. */
function read(error: Error, key: string): unknown {
  try {
    return Reflect.get(error, key);
  } catch (failure) {
    return `(its ${key} cannot be shown: ${failure instanceof Error ? failure.name : typeof failure})`;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (isError(thrown)) {
    const message = textOf(thrown, 'message') ?? '';
    return message === '' ? `${textOf(thrown, 'name') ?? 'Error'} without a message` : message;
  }
  try {
    return `threw ${inspect(thrown, { depth: 1 })}, which is not an Error`;
  } catch (failure) {
    return `threw a value that cannot be shown: ${failure instanceof Error ? failure.name : typeof failure}`;
  }
}

function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch (error) {
    // The file name has a bare percent sign and is not percent-encoded.
    if (error instanceof URIError) return url;
    throw error;
  }
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
