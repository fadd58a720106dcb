import type { WaitCause } from '@lab/api-client';
import { blockersOf, type Blocker } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useSight } from '../lab/index.js';
import { TaskLink } from './task-link.js';

/**
 * Why a task waits, in words, each with links to what blocks it.
 *
 * @param onDemand labels of the on-demand tasks that are known, to tell a task that holds a unit from a run that does
 */
export function Waits({
  causes,
  onDemand,
}: {
  causes: readonly WaitCause[];
  onDemand: ReadonlySet<string>;
}): ReactNode {
  const { devices } = useSight().records;
  const units = useMemo(() => new Set(devices.map(({ lab_name: lab, name }) => `${lab}.${name}`)), [devices]);
  return causes.map((cause) => (
    <span key={cause.message} className="whole">
      {cause.message}{' '}
      {blockersOf(cause, onDemand, units).map((blocker) => (
        <span key={`${blocker.kind} ${blocker.label}`} className="blocker">
          <BlockerLink blocker={blocker} />
        </span>
      ))}
    </span>
  ));
}

function BlockerLink({ blocker }: { blocker: Blocker }): ReactNode {
  const { name, label } = blocker;
  switch (blocker.kind) {
    case 'task':
      return <TaskLink task={{ name, label, protocol_run: blocker.run ?? null }} />;
    case 'run':
      return (
        <Link to="/runs/$name" params={{ name }}>
          {label}
        </Link>
      );
    case 'device':
      return (
        <Link to="/devices/$lab/$name" params={{ lab: blocker.lab, name }}>
          {label}
        </Link>
      );
    case 'resource':
      return (
        <Link to="/resources/$name" params={{ name }}>
          {label}
        </Link>
      );
  }
}
