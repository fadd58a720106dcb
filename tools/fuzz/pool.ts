import { parsedJson } from './request.js';

/** Most names of a collection. */
const most = 300;

interface KnownDevice {
  lab: string;
  name: string;
  functions: string[];
}

/** A record of a reply. The fuzzer reads the fields that it needs. */
interface FoundRecord {
  name?: unknown;
  id?: unknown;
  protocol?: unknown;
  lab_name?: unknown;
  output_files?: { name: string }[];
  functions?: { kind: string; name: string }[];
}

/**
 * The names and ids that replies contained, by the path of their list, and the functions of devices. With them requests
 * reach existing records.
 */
export class Pool {
  readonly #known = new Map<string, string[]>();
  readonly #devices: KnownDevice[] = [];
  readonly #avoided: Set<string>;

  /** @param avoided ids that no request may contain */
  constructor(avoided: readonly string[] = []) {
    this.#avoided = new Set(avoided);
  }

  /** Learns from the reply to a successful request. */
  learn(path: string, text: string): void {
    const collection = (path.split('?')[0] ?? '').replace(/\/$/, '');
    const value = parsedJson(text);
    const items = (value as { items?: unknown } | null)?.items;
    const records: unknown[] = Array.isArray(value) ? value : Array.isArray(items) ? items : [value];
    for (const each of records) {
      if (typeof each !== 'object' || each === null) continue;
      const record: FoundRecord = each;
      for (const key of ['name', 'id'] as const) {
        const found = record[key];
        if (typeof found === 'string') this.#add(collection, found);
      }
      if (typeof record.protocol === 'string') this.#add('protocol', record.protocol);
      for (const file of record.output_files ?? []) this.#add('file_name', file.name);
      if (typeof record.lab_name === 'string') this.#addDevice(record.lab_name, record);
    }
  }

  /** Values of the path parameters of an operation that belong together; undefined: the pool has none. */
  pick(path: string, chance: number): Record<string, string> | undefined {
    const names = namesIn(path);
    if (names.includes('device_id')) {
      const device = at(this.#devices, chance);
      if (device === undefined) return undefined;
      const functionName = at(device.functions, chance);
      const known: Record<string, string> = {
        lab_id: device.lab,
        device_id: device.name,
        ...(functionName === undefined ? {} : { function_name: functionName }),
      };
      return names.every((name) => known[name] !== undefined) ? known : undefined;
    }
    const values: Record<string, string> = {};
    for (const name of names) {
      const collection = path.slice(0, path.indexOf(`{${name}}`) - 1);
      const value = at(this.#known.get(name) ?? this.#known.get(collection) ?? [], chance);
      if (value === undefined) return undefined;
      values[name] = value;
    }
    return values;
  }

  #add(collection: string, value: string): void {
    const values = this.#known.get(collection) ?? [];
    this.#known.set(collection, values);
    if (this.#avoided.has(value) || values.includes(value)) return;
    values.push(value);
    if (values.length > most) values.shift();
  }

  #addDevice(lab: string, { name, functions = [] }: FoundRecord): void {
    if (typeof name !== 'string' || this.#devices.some((each) => each.lab === lab && each.name === name))
      return;
    const queries = functions.filter(({ kind }) => kind === 'query').map((each) => each.name);
    this.#devices.push({ lab, name, functions: queries });
  }
}

/** The names of the parameters of a path. */
export const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function at<T>(values: readonly T[], chance: number): T | undefined {
  return values[chance % values.length];
}
