import type { ProtocolRunSummary } from '@lab/api-client';
import { workTone } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useWords } from '../settings/index.js';

/** A run in a row of a list: its name, its state, and what else the list says. */
export function RunFacts({
  run: { name, state },
  children,
}: {
  run: Pick<ProtocolRunSummary, 'name' | 'state'>;
  children?: ReactNode;
}): ReactNode {
  const words = useWords();
  return (
    <>
      <Link to="/runs/$name" params={{ name }} className="name">
        {name}
      </Link>
      <State tone={workTone(state)}>{words.state(state)}</State>
      {children}
    </>
  );
}
