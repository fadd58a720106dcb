import type { LabEvent } from '@lab/web-model';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useRecord, type Loaded } from './use-record.js';

/** How many more records a press shows. */
const portion = 100;

export interface Pages<T> extends Loaded<T> {
  /** Reads further records. */
  more(): void;
  /** How many further records {@link more} reads at most. */
  portion: number;
}

/**
 * Reads a list of which a person sees more and more, and again as {@link useRecord} does. What is shown stays while more is read.
 *
 * @param load gets the number of records; must stay the same function for the same list
 * @param concerns as `load`
 */
export function usePages<T>(
  load: (count: number, signal: AbortSignal) => Promise<T>,
  concerns: (event: LabEvent) => boolean,
): Pages<T> {
  const [count, setCount] = useState(portion);
  const wanted = useRef(count);
  wanted.current = count;
  const read = useCallback((signal: AbortSignal) => load(wanted.current, signal), [load]);
  const loaded = useRecord(read, concerns);
  const { readAgain } = loaded;
  useEffect(() => {
    if (count > portion) readAgain();
  }, [readAgain, count]);
  return { ...loaded, more: useCallback(() => setCount((before) => before + portion), []), portion };
}
