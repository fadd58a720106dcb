import type { ReactNode } from 'react';
import { reasonOf } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** In the place of a part of the page that failed. The rest of the page works on, above all the emergency stop. */
export function Broken({ error }: { error: unknown }): ReactNode {
  const words = useWords();
  return (
    <div role="alert">
      <h1>{words.say('page.broken')}</h1>
      <p>{words.say('page.broken.more')}</p>
      <p className="hint">{reasonOf(error)}</p>
    </div>
  );
}
