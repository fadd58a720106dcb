import { parseArgs } from 'node:util';

/** One argument of a command. Its values are checked; a wrong one ends the process with 2 and a sentence. */
export interface Flag<T> {
  readonly kind: 'string' | 'boolean';
  /** Place of an argument without a name; undefined: the argument is an option. */
  readonly place?: number | undefined;
  /** @throws Error that completes the sentence "--name is …" */
  read(given: string | boolean | undefined): T;
}

interface Range {
  least?: number;
  most?: number;
  place?: number;
}

const number = (
  usual: number,
  { least = 0, most = Infinity, place }: Range,
  isWhole: boolean,
): Flag<number> => ({
  kind: 'string',
  place,
  read(given) {
    if (given === undefined) return usual;
    const value = given === '' ? NaN : Number(given);
    if (value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))) return value;
    const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
    throw new Error(`a ${isWhole ? 'whole ' : ''}number ${range}, not "${given}"`);
  },
});

/** A whole number, by default 0 or more. */
export const whole = (usual: number, range: Range = {}) => number(usual, range, true);

/** A number with a fraction. */
export const fraction = (usual: number, range: Range = {}) => number(usual, range, false);

/** A whole number that has no default. */
export const optionalWhole: Flag<number | undefined> = {
  kind: 'string',
  read: (given) => (given === undefined ? undefined : whole(0).read(given)),
};

export const text: Flag<string | undefined> = {
  kind: 'string',
  read: (given) => given as string | undefined,
};

/** A regular expression; undefined without the option. */
export const pattern: Flag<RegExp | undefined> = {
  kind: 'string',
  read(given) {
    if (given === undefined) return undefined;
    try {
      return new RegExp(String(given));
    } catch {
      throw new Error(`a regular expression, not "${given}"`);
    }
  },
};

/** One of some words. */
export const oneOf = <T extends string>(usual: T, words: readonly T[]): Flag<T> => ({
  kind: 'string',
  read(given) {
    const found = words.find((word) => word === (given ?? usual));
    if (found === undefined) throw new Error(`one of ${words.join(', ')}, not "${given}"`);
    return found;
  },
});

/** Some of some words, separated by commas; without the option, all of them. */
export const someOf = <T extends string>(words: readonly T[]): Flag<readonly T[]> => ({
  kind: 'string',
  read(given) {
    if (given === undefined || given === 'all') return words;
    const asked = String(given).split(',');
    const unknown = asked.filter((word) => !words.some((each) => each === word));
    if (unknown.length > 0) throw new Error(`all or some of ${words.join(',')}, not "${unknown.join(',')}"`);
    return words.filter((word) => asked.includes(word));
  },
});

export const toggle: Flag<boolean> = { kind: 'boolean', read: (given) => given === true };

/**
 * The arguments of this process.
 *
 * @param flags by the names of the options
 */
export function readFlags<T extends Record<string, Flag<unknown>>>(
  flags: T,
): { [Name in keyof T]: T[Name] extends Flag<infer Value> ? Value : never } {
  const all = Object.entries(flags);
  try {
    const options = all.filter(([, flag]) => flag.place === undefined);
    const { values, positionals } = parseArgs({
      options: Object.fromEntries(options.map(([name, { kind }]) => [name, { type: kind }])),
      allowPositionals: options.length < all.length,
    });
    const read = all.map(([name, flag]) => {
      const given = flag.place === undefined ? values[name] : positionals[flag.place];
      try {
        return [name, flag.read(given as string | boolean | undefined)];
      } catch (error) {
        const shown = flag.place === undefined ? `--${name}` : name;
        throw new Error(`${shown} is ${(error as Error).message}`, { cause: error });
      }
    });
    return Object.fromEntries(read) as ReturnType<typeof readFlags<T>>;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Ends the process because an argument is wrong. */
export function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
