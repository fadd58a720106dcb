import type { LabEvent } from '@lab/web-model';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLab } from './lab.js';
import { isRefusal, reasonOf } from './reasons.js';

/** Time before a record that could not be read is read again, in milliseconds. */
const retryMs = 2_000;
/** Time after an event before a record is read, in milliseconds, because more events come with it. */
const gatherMs = 500;
/** A reading that takes long is followed by a rest that is this many times as long, so that the page stays free for people. */
const restFactor = 8;
/** Longest rest, in milliseconds. */
const longestRestMs = 15_000;

/** Events may wait, a person does not. */
type Asker = 'event' | 'person';

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
 * @param restMs shortest rest after a reading before events lead to the next one, in milliseconds
 */
export function useRecord<T>(
  load: (signal: AbortSignal) => Promise<T>,
  concerns: (event: LabEvent) => boolean,
  restMs = gatherMs,
): Loaded<T> {
  const { live } = useLab();
  const [state, setState] = useState<Omit<Loaded<T>, 'readAgain'>>({ record: undefined, failure: undefined });
  const plan = useRef<(by: Asker) => void>(() => undefined);
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    /** Who asked for a reading during one. */
    let asked: Asker | undefined;
    let restsUntil = 0;
    const read = (): void => {
      timer = undefined;
      asked = undefined;
      isReading = true;
      const begin = performance.now();
      load(end.signal)
        .then(
          (record) => setState({ record, failure: undefined }),
          (error: unknown) => {
            if (end.signal.aborted) return;
            setState((before) => ({ ...before, failure: reasonOf(error) }));
            if (!isRefusal(error)) timer = setTimeout(read, retryMs);
          },
        )
        .finally(() => {
          isReading = false;
          const now = performance.now();
          restsUntil = now + Math.min(longestRestMs, Math.max(restMs, restFactor * (now - begin)));
          if (asked !== undefined && !end.signal.aborted) plan.current(asked);
        });
    };
    plan.current = (by) => {
      if (isReading) {
        asked = by === 'person' ? by : (asked ?? by);
        return;
      }
      if (by === 'event' && timer !== undefined) return;
      clearTimeout(timer);
      timer = setTimeout(read, by === 'person' ? 0 : Math.max(gatherMs, restsUntil - performance.now()));
    };
    setState({ record: undefined, failure: undefined });
    read();
    const stop = live.listen((events) => {
      if (events === 'gap' || events.some(concerns)) plan.current('event');
    });
    return () => {
      stop();
      end.abort();
      clearTimeout(timer);
    };
  }, [live, load, concerns, restMs]);
  return {
    ...state,
    readAgain: useCallback(() => {
      plan.current('person');
    }, []),
  };
}
