import type { QueuedTask } from '@lab/api-client';
import { membersOf, scopesOf, type WorkScope } from '@lab/web-model';
import type { ReactNode } from 'react';
import { Choice } from '../design/index.js';
import type { WorkSubject } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** A choice among a task, its run and its campaign; nothing for a task on demand. */
export function ScopeField({
  label,
  tasks,
  task,
  scope,
  onChange,
}: {
  label: string;
  tasks: readonly QueuedTask[];
  task: QueuedTask;
  scope: WorkScope;
  onChange(scope: WorkScope): void;
}): ReactNode {
  const words = useWords();
  const scopes = scopesOf(task);
  if (scopes.length === 1) return null;
  return (
    <Choice label={label} value={scope} onChange={(value) => onChange(value as WorkScope)}>
      {scopes.map((each) => (
        <option key={each} value={each}>
          {words.say(`queue.scope.${each}`, {
            task: task.name,
            run: task.protocol_run ?? '',
            campaign: task.campaign ?? '',
            count: membersOf(tasks, task, each).length,
          })}
        </option>
      ))}
    </Choice>
  );
}

/** The work that a choice means. */
export function subjectOf({ name, protocol_run: run, campaign }: QueuedTask, scope: WorkScope): WorkSubject {
  if (scope === 'campaign') return { kind: scope, name: campaign ?? '', run: null };
  if (scope === 'run') return { kind: scope, name: run ?? '', run: null };
  return { kind: scope, name, run };
}
