import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useFreshness, useLab, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** How old what the page shows is. */
export function Connection(): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const freshness = useFreshness();
  useNow();
  if (live.heardAt === undefined) return <State tone="unknown">{words.say('connection.never')}</State>;
  if (freshness === 'live') return <State tone="good">{words.say('connection.live')}</State>;
  const age = words.age(performance.now() - live.heardAt);
  if (freshness === 'quiet') return <State tone="warning">{words.say('connection.quiet', { age })}</State>;
  return <State tone="alarm">{words.say('connection.stale', { age })}</State>;
}

/** Says why nobody can act here, while the page sees nothing of the laboratory. */
export function Locked(): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const isLost = useFreshness() === 'stale' && live.heardAt !== undefined;
  return (
    <div role="alert">{isLost && <p className="halt look-warning">{words.say('connection.locked')}</p>}</div>
  );
}
