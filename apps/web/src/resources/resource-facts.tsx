import type { ResourceRecord } from '@lab/api-client';
import { taskOf } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { TaskLink } from '../parts/index.js';
import { useWords } from '../settings/index.js';

type Held = Pick<ResourceRecord, 'used_by' | 'held_by' | 'since'>;

/** Whether a resource is free, in a word. */
export function ResourceState({ resource: { used_by: task, held_by: run } }: { resource: Held }): ReactNode {
  const words = useWords();
  if (task !== null) return <State tone="busy">{words.say('resource.used')}</State>;
  if (run !== null) return <State tone="warning">{words.say('resource.kept')}</State>;
  return <State tone="good">{words.say('resource.free')}</State>;
}

/** The task that uses a resource, the run that keeps it, and since when; nothing for a free one. */
export function Holder({ resource: { used_by: task, held_by: run, since } }: { resource: Held }): ReactNode {
  const words = useWords();
  const now = useNow();
  if (task === null && run === null) return null;
  const began = since === null ? undefined : Date.parse(since);
  return (
    <span>
      {task === null ? `${words.say('resource.kept.by')} ` : `${words.say('resource.used.by')} `}
      {task === null ? <RunLink name={run ?? ''} /> : <LabelLink label={task} />}
      {task !== null && run !== null && !task.startsWith(`${run}/`) && (
        <>
          {`, ${words.say('resource.kept.by')} `}
          <RunLink name={run} />
        </>
      )}
      {began !== undefined &&
        `, ${words.say('resource.since', { time: words.time(began, now), age: words.age(now - began) })}`}
    </span>
  );
}

/** Leads to a task by its label. */
function LabelLink({ label }: { label: string }): ReactNode {
  const { name, run } = taskOf(label);
  return <TaskLink task={{ name, label, protocol_run: run ?? null }} />;
}

function RunLink({ name }: { name: string }): ReactNode {
  return (
    <Link to="/runs/$name" params={{ name }}>
      {name}
    </Link>
  );
}
