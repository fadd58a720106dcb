import type { ResourceUse } from '@lab/api-client';
import { metaChanges, workTone, type LabEvent } from '@lab/web-model';
import { useCallback, type ReactNode } from 'react';
import { Rows, State } from '../design/index.js';
import { client, readPages, useNow, usePages } from '../lab/index.js';
import { More, TaskLink, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Changes } from './changes.js';

/** The tasks that used a resource and the acts of people on its data, the latest first. */
export function History({ name }: { name: string }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  const load = useCallback(
    (count: number, signal: AbortSignal) =>
      readPages(
        (part) =>
          client.get('/api/resources/{resource_name}/history', {
            path: { resource_name: name },
            query: part,
            signal,
          }),
        count,
      ),
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type === 'resource.changed' && body['name'] === name) || type.startsWith('task_run.'),
    [name],
  );
  const { record, failure, more, portion } = usePages(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  if (record.items.length === 0) return <p className="hint">{words.say('resource.history.none')}</p>;
  return (
    <>
      <Rows
        items={record.items}
        keyOf={(use) => `${use.task_run_id ?? use.kind} ${use.started_at} ${use.slot ?? ''}`}
      >
        {(use) => (
          <>
            <Who use={use} />
            <span className="hint">{words.time(Date.parse(use.started_at), now)}</span>
            <Left use={use} />
          </>
        )}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}

function Who({
  use: { kind, task, protocol_run: run, state, slot, by, reason },
}: {
  use: ResourceUse;
}): ReactNode {
  const words = useWords();
  if (kind !== 'task')
    return (
      <>
        <span className="name">{words.say(`resource.history.${kind}`, { by: by ?? '?' })}</span>
        {reason !== null && reason !== '' && <span>{reason}</span>}
      </>
    );
  const label = run === null ? (task ?? '') : `${run}/${task ?? ''}`;
  return (
    <>
      <span className="name">
        <TaskLink task={{ label, name: task ?? '', protocol_run: run }} />
      </span>
      {state !== null && <State tone={workTone(state)}>{words.state(state)}</State>}
      {slot !== null && <span className="hint">{words.say('resource.history.slot', { slot })}</span>}
    </>
  );
}

function Left({ use: { taken, left } }: { use: ResourceUse }): ReactNode {
  const words = useWords();
  if (left === null) return null;
  const changes = metaChanges(taken, left);
  if (changes.length === 0) return <span className="hint">{words.say('resource.history.same')}</span>;
  return (
    <div className="whole">
      <Changes changes={changes} />
    </div>
  );
}
