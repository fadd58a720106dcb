import type { RecordList } from '@lab/web-model';
import type { ReactNode } from 'react';
import { mostRecords, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Says that a list is longer than what the page keeps of it; nothing when it is not. */
export function Cut({ lists }: { lists: readonly RecordList[] }): ReactNode {
  const { cut } = useSight();
  return lists.some((list) => cut.has(list)) ? <CutAt count={mostRecords} /> : null;
}

/** Says that the page has the first records of a list alone. */
export function CutAt({ count }: { count: number }): ReactNode {
  const words = useWords();
  return <p className="hint">{words.say('list.cut', { count })}</p>;
}
