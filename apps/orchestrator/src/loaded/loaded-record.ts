/** The definitions that were loaded after the last change at run time, and the configuration of that time. */
export interface LoadedRecord {
  configured: { labs: readonly string[] | null; protocols: readonly string[] | null };
  labs: string[];
  protocols: string[];
  draining: Record<string, 'unload' | 'reload'>;
}

/**
 * @param value undefined: nothing ever changed at run time
 * @throws Error when the record is not understood
 */
export function readLoadedRecord(value: unknown): LoadedRecord | undefined {
  if (value === undefined || isRecord(value)) return value;
  throw new Error(
    'the list of what is loaded (table loaded_definitions) cannot be read; empty it to load what is configured',
  );
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
