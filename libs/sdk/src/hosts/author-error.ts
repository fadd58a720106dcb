import { inspect, types } from 'node:util';
import type { AuthorError, ModuleReference } from '@lab/contracts';

const maxMessageLength = 8_192;
const maxFrames = 30;
const maxCauses = 4;

/** Where a bundled module says its sources are: `package:///<package>/<path in the package>`. */
const frame = /^\s+at (?:(.*) \()?package:\/\/\/(.+?):(\d+):(\d+)\)?$/;

/**
 * An error as people see it: its message, and a stack with frames of the package only, printed as
 * `color_lab/tasks/mix/task.ts:12:3`. Never throws, whatever was thrown.
 */
export function describeError(thrown: unknown, module: Pick<ModuleReference, 'package'>): AuthorError {
  const message = cut(messageOf(thrown));
  const stack = stackOf(thrown, module, maxCauses);
  return stack === undefined ? { message } : { message, stack };
}

/** The frames of a stack that lie in the package, one a line. */
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
  const { stack, name, deviceStack, device } = read(thrown);
  const lines = [cut(`${name}: ${messageOf(thrown)}`), ...packageFrames(stack, module)];
  if (deviceStack !== undefined) lines.push(`  in the device ${device ?? ''}:`, deviceStack);
  const cause = causes > 0 ? stackOf(thrown.cause, module, causes - 1) : undefined;
  if (cause !== undefined) lines.push(`caused by ${cause}`);
  return lines.join('\n');
}

interface Readable {
  stack: string;
  name: string;
  deviceStack: string | undefined;
  device: string | undefined;
}

function read(error: Error): Readable {
  const text = (key: string): string | undefined => {
    try {
      const value: unknown = Reflect.get(error, key);
      return typeof value === 'string' ? value : undefined;
    } catch (failure) {
      return `(${key} could not be read: ${String(failure)})`;
    }
  };
  return {
    stack: text('stack') ?? '',
    name: text('name') ?? 'Error',
    deviceStack: text('deviceStack'),
    device: text('device'),
  };
}

function messageOf(thrown: unknown): string {
  try {
    if (isError(thrown)) {
      const message = String(thrown.message);
      return message === '' ? `${thrown.name} without a message` : message;
    }
    return typeof thrown === 'string'
      ? thrown
      : `threw ${inspect(thrown, { depth: 1 })}, which is not an Error`;
  } catch (failure) {
    return `threw a value that cannot be shown: ${String(failure)}`;
  }
}

function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch (error) {
    // Not percent-encoding after all: a file name with a bare percent sign.
    if (error instanceof URIError) return url;
    throw error;
  }
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
