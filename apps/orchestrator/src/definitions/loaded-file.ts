import { readFile, rename, writeFile } from 'node:fs/promises';

/** What was loaded when it last changed at run time, and the configuration that it departed from. */
export interface LoadedRecord {
  configured: { labs: readonly string[] | null; protocols: readonly string[] | null };
  labs: string[];
  protocols: string[];
  draining: Record<string, 'unload' | 'reload'>;
}

/** Keeps what is loaded over a restart. Written whole or not at all. */
export class LoadedFile {
  constructor(private readonly path: string) {}

  /**
   * @returns undefined when nothing was changed at run time
   * @throws Error when the file is there but cannot be read or understood
   */
  async read(): Promise<LoadedRecord | undefined> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const value = parsed(text);
    if (isRecord(value)) return value;
    throw new Error(`${this.path} is not a list of what is loaded; remove it to load what is configured`);
  }

  async write(record: LoadedRecord): Promise<void> {
    const temporary = `${this.path}.new`;
    await writeFile(temporary, `${JSON.stringify({ version: 1, ...record }, null, 2)}\n`, { flush: true });
    await rename(temporary, this.path);
  }
}

/** Undefined for what is not JSON; JSON itself has no such value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is LoadedRecord {
  if (!isObject(value) || !isObject(value['configured']) || !isObject(value['draining'])) return false;
  const { labs, protocols } = value['configured'];
  return (
    [value['labs'], value['protocols']].every(isNames) &&
    [labs, protocols].every((names) => names === null || isNames(names)) &&
    Object.values(value['draining']).every((what) => what === 'unload' || what === 'reload')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
