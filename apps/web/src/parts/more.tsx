import type { ReactNode } from 'react';
import { Button } from '../design/index.js';
import { useWords } from '../settings/index.js';

/** Below the first records of a list: shows further ones; nothing when there are none. */
export function More({
  page: { items, next_cursor: next },
  onMore,
  portion,
}: {
  page: { items: readonly unknown[]; next_cursor: string | null };
  onMore(): void;
  portion: number;
}): ReactNode {
  const words = useWords();
  if (next === null) return null;
  return (
    <div className="buttons">
      <Button onClick={onMore}>{words.say('list.more', { count: portion })}</Button>
      <span className="hint">{words.say('list.shown', { count: items.length })}</span>
    </div>
  );
}
