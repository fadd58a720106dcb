import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useWords } from '../settings/index.js';

/** In the place of what is being read, or beside it: why it cannot be read at present. */
export function Unread({ reason }: { reason: string | undefined }): ReactNode {
  const words = useWords();
  if (reason === undefined) return <p role="status">{words.say('now.reading')}</p>;
  return (
    <p role="alert">
      <State tone="unknown">{words.say('now.unreadable', { reason })}</State>
    </p>
  );
}
