import type { Principal } from '@lab/api-client';
import { freshnessOf, labsSeen, type Freshness } from '@lab/web-model';
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { client } from './client.js';
import { serviceNow } from './clock.js';
import { LiveLab, type Sight } from './live-lab.js';

interface Lab {
  live: LiveLab;
  me: Principal;
}

const LabContext = createContext<Lab | undefined>(undefined);

/** Follows the laboratory for as long as it is on the page. */
export function LabProvider({
  me,
  onSignedOut,
  children,
}: {
  me: Principal;
  onSignedOut: () => void;
  children: ReactNode;
}): ReactNode {
  const [lab, setLab] = useState<Lab>();
  useEffect(() => {
    const live = new LiveLab(client, onSignedOut, labsSeen(me));
    live.start();
    setLab({ live, me });
    return () => live.stop();
  }, [me, onSignedOut]);
  return lab === undefined ? null : <LabContext.Provider value={lab}>{children}</LabContext.Provider>;
}

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (lab === undefined) throw new Error('there is no laboratory around this component');
  return lab;
}

export function useSight(): Sight {
  const { live } = useLab();
  return useSyncExternalStore(live.subscribe, live.sight);
}

/** One timer for all that changes with time, however many rows show it. */
const everySecond = {
  listeners: new Set<() => void>(),
  timer: undefined as ReturnType<typeof setInterval> | undefined,
  subscribe(listener: () => void): () => void {
    const { listeners } = everySecond;
    listeners.add(listener);
    everySecond.timer ??= setInterval(() => {
      for (const each of listeners) each();
    }, 1_000);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(everySecond.timer);
      everySecond.timer = undefined;
    };
  },
};

/** The present time of the service, in milliseconds since 1970, in steps of `everyMs`. */
export function useNow(everyMs = 1_000): number {
  return useSyncExternalStore(everySecond.subscribe, () => Math.floor(serviceNow() / everyMs) * everyMs);
}

/** How old what the page shows is. */
export function useFreshness(): Freshness {
  const { live } = useLab();
  return useSyncExternalStore(everySecond.subscribe, () => freshnessOf(live.heardAt, performance.now()));
}

/** Nobody acts on what is old, except to stop. */
export const useMayAct = (): boolean => useFreshness() !== 'stale';

/**
 * The laboratory whose records a list shows. The service gives a person with roles for single laboratories one list for each of
 * these, so that the first is shown until they choose.
 *
 * @param chosen undefined: no choice was made
 * @returns undefined: all laboratories
 */
export function useShownLab(chosen: string | undefined): string | undefined {
  const { me } = useLab();
  return chosen ?? labsSeen(me)?.[0];
}
