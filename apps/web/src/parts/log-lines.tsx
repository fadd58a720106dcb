import type { LogLine } from '@lab/api-client';
import type { ReactNode } from 'react';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Lines of output, the newest last. */
export function LogLines({ lines, label }: { lines: readonly LogLine[]; label: string }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  return (
    <ol className="log" tabIndex={0} aria-label={label}>
      {lines.map(({ id, at, level, message }) => (
        <li
          key={id}
          className={level === 'error' ? 'tone-alarm' : level === 'warn' ? 'tone-warning' : 'tone-idle'}
        >
          <span className="hint">
            {words.time(Date.parse(at), now)} {level}
          </span>{' '}
          {message}
        </li>
      ))}
    </ol>
  );
}
