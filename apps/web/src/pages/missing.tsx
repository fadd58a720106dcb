import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** An address that has no page. */
export function Missing(): ReactNode {
  const words = useWords();
  return (
    <>
      <h1>{words.say('page.missing')}</h1>
      <p>
        <Link to="/">{words.say('page.home')}</Link>
      </p>
    </>
  );
}
