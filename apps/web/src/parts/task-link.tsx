import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Leads to the page of a task. */
export function TaskLink({
  task: { protocol_run: run, name, label },
}: {
  task: { protocol_run: string | null; name: string; label: string };
}): ReactNode {
  if (run === null)
    return (
      <Link to="/tasks/$name" params={{ name }}>
        {label}
      </Link>
    );
  return (
    <Link to="/runs/$name/tasks/$task" params={{ name: run, task: name }}>
      {label}
    </Link>
  );
}
