import { plainText, type MetaChange } from '@lab/web-model';
import type { ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** What differs between data before and after, one value a line. */
export function Changes({ changes }: { changes: readonly MetaChange[] }): ReactNode {
  const words = useWords();
  const text = (value: unknown): string =>
    value === undefined ? words.say('resource.change.nothing') : plainText(value);
  return (
    <ul className="look">
      {changes.map(({ name, before, after }) => (
        <li key={name}>{words.say('resource.change', { name, before: text(before), after: text(after) })}</li>
      ))}
    </ul>
  );
}
