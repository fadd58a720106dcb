import type { Principal } from '@lab/api-client';
import { freshnessOf, type Freshness } from '@lab/web-model';
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
    const live = new LiveLab(client, onSignedOut);
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

/** The present time of the service, in milliseconds since 1970. It changes every `everyMs`. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** How old what the page shows is, and for how many milliseconds nothing came. */
export function useFreshness(): { freshness: Freshness; ageMs: number | undefined } {
  const { heardAt } = useSight();
  useNow();
  const now = performance.now();
  return { freshness: freshnessOf(heardAt, now), ageMs: heardAt === undefined ? undefined : now - heardAt };
}

/** Nobody acts on what is old, except to stop. */
export const useMayAct = (): boolean => useFreshness().freshness !== 'stale';
