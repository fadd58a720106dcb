import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a computer got when it joined a service. */
export interface Joined {
  /** Name of the computer in the service. */
  computer: string;
  /** Defaults of the configuration by variable. Paths are absolute. */
  env: Readonly<Record<string, string>>;
}

/** The file of a data folder that has it. */
export const joinedFile = 'joined.json';

const largestBytes = 256 * 1024;
const knownVersion = 1;

/**
 * Reads what a computer got when it joined.
 *
 * @param folder the data folder; relative paths of variables that end in `_FILE` or `_DIR` begin there
 * @returns undefined when the computer has not joined
 * @throws Error that says what is wrong in the file, without any value of it
 */
export function readJoined(folder: string): Joined | undefined {
  const path = join(folder, joinedFile);
  const text = readText(path);
  if (text === undefined) return undefined;
  const wrong = (what: string): Error => new Error(`${path}: ${what}; join the service again`);
  if (text.length > largestBytes) throw wrong(`it is longer than ${largestBytes} characters`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    // The message of the parser quotes the text, which may have secrets.
    throw new Error(`${path}: it is not JSON; join the service again`, { cause: error });
  }
  if (!isRecord(content)) throw wrong('it is not an object');
  const { version, computer, env } = content;
  if (version !== knownVersion) {
    const known = `this agent reads version ${knownVersion}`;
    throw new Error(`${path}: version is ${JSON.stringify(version)}, and ${known}; use a newer agent`);
  }
  if (typeof computer !== 'string' || computer === '') throw wrong('computer is not a name');
  if (!isRecord(env)) throw wrong('env is not an object');
  const entries = Object.entries(env).map(([name, value]): [string, string] => {
    if (!/^SVC_[A-Z0-9_]+$/.test(name)) throw wrong(`env has ${name}, which is no setting (SVC_...)`);
    if (name === 'SVC_DATA_DIR')
      throw wrong('env has SVC_DATA_DIR, but the folder of this file is the data folder');
    if (typeof value !== 'string') throw wrong(`env.${name} is not a text`);
    return [name, /_(FILE|DIR)$/.test(name) ? resolve(folder, value) : value];
  });
  return { computer, env: Object.fromEntries(entries) };
}

/**
 * The variables that the file adds to an environment. A variable that the environment has, directly or as a file (`_FILE`),
 * stays as it is there.
 */
export function defaultsFor(
  env: Readonly<Record<string, string | undefined>>,
  joined: Joined,
): Record<string, string> {
  const isGiven = (name: string): boolean => {
    const base = name.replace(/_FILE$/, '');
    return Boolean(env[base]) || Boolean(env[`${base}_FILE`]);
  };
  const all = { SVC_COMPUTER: joined.computer, ...joined.env };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !isGiven(name)));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read (${code ?? String(error)}); let this user read it`, {
      cause: error,
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
