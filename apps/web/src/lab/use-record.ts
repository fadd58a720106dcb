import type { LabEvent } from '@lab/web-model';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLab } from './lab.js';
import { isRefusal, reasonOf } from './reasons.js';

/** Time before a record that could not be read is read again, in milliseconds. */
const retryMs = 2_000;
/** Shortest time between two readings of a record, in milliseconds, however many events concern it. */
const rereadMs = 500;

export interface Loaded<T> {
  /** undefined: it is not read yet, or cannot be. */
  record: T | undefined;
  /** Why it could not be read when it was last asked for, in a sentence. */
  failure: string | undefined;
  readAgain(): void;
}

/**
 * Reads a record, and again whenever an event concerns it, events were missed, or the service did not answer. The record stays
 * while it is read again.
 *
 * @param load must stay the same function for the same record
 * @param concerns as `load`
 */
export function useRecord<T>(
  load: (signal: AbortSignal) => Promise<T>,
  concerns: (event: LabEvent) => boolean,
): Loaded<T> {
  const { live } = useLab();
  const [state, setState] = useState<Omit<Loaded<T>, 'readAgain'>>({ record: undefined, failure: undefined });
  const plan = useRef<() => void>(() => undefined);
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      timer = undefined;
      load(end.signal).then(
        (record) => setState({ record, failure: undefined }),
        (error: unknown) => {
          if (end.signal.aborted) return;
          setState((before) => ({ ...before, failure: reasonOf(error) }));
          if (!isRefusal(error)) timer ??= setTimeout(read, retryMs);
        },
      );
    };
    plan.current = () => (timer ??= setTimeout(read, rereadMs));
    setState({ record: undefined, failure: undefined });
    read();
    const stop = live.listen((events) => {
      if (events === 'gap' || events.some(concerns)) plan.current();
    });
    return () => {
      stop();
      end.abort();
      clearTimeout(timer);
    };
  }, [live, load, concerns]);
  return {
    ...state,
    readAgain: useCallback(() => {
      plan.current();
    }, []),
  };
}
