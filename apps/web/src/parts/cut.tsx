import type { RecordList } from '@lab/web-model';
import type { ReactNode } from 'react';
import { mostRecords, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Says that a list is longer than what the page keeps of it; nothing when it is not. */
export function Cut({ lists }: { lists: readonly RecordList[] }): ReactNode {
  const words = useWords();
  const { cut } = useSight();
  if (!lists.some((list) => cut.has(list))) return null;
  return <p className="hint">{words.say('list.cut', { count: mostRecords })}</p>;
}
