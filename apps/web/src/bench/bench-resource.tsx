import { concernsUnit, labsSeen, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import { Section } from '../design/index.js';
import { client, useLab, usePolling, useRecord, useSight } from '../lab/index.js';
import { Unread, Values } from '../parts/index.js';
import { History, Holder, ResourceActions, ResourceState } from '../resources/index.js';
import { useWords } from '../settings/index.js';
import { readTasks } from './read-tasks.js';
import { Questions, WorkAt } from './work-at.js';

/** A resource for a person who has it in their hand. */
export function BenchResource({ name }: { name: string }): ReactNode {
  const words = useWords();
  const { attention } = useSight().records;
  const { me } = useLab();
  const [isPast, setIsPast] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const resource = await client.get('/api/resources/{resource_name}', {
        path: { resource_name: name },
        signal,
      });
      // A task of another laboratory may use the resource.
      const tasks = await readTasks(labsSeen(me) === undefined ? {} : { lab: resource.lab }, signal);
      return { resource, tasks: tasks.filter((task) => concernsUnit(task, name)) };
    },
    [name, me],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type === 'resource.changed' && body['name'] === name) ||
      type.startsWith('task_run.') ||
      type.startsWith('protocol_run.'),
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  usePolling(record !== undefined && record.tasks.length > 0, readAgain);
  if (record === undefined) return <Unread reason={failure} />;
  const { resource, tasks } = record;
  const { type, lab, used_by: task, held_by: run, meta } = resource;
  return (
    <div className="bench">
      <Link to="/bench">{words.say('bench.all')}</Link>
      <h1>{name}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <div className={`headline tone-${task === null && run === null ? 'good' : 'busy'}`}>
        <p>
          <ResourceState resource={resource} />
        </p>
        <p>{words.say('resources.of', { type, lab })}</p>
        <Holder resource={resource} />
      </div>
      <Questions items={attention.filter(({ subject }) => task !== null && subject === task)} />
      <div className="buttons">
        <ResourceActions resource={resource} onDone={readAgain} />
        <Link to="/resources/$name" params={{ name }} className="button">
          {words.say('bench.more.resource')}
        </Link>
        <Link to="/labels" search={{ resource: name }} className="button">
          {words.say('label.open')}
        </Link>
      </div>
      <Section title={words.say('resource.data')}>
        {Object.keys(meta).length === 0 ? (
          <p className="hint">{words.say('resource.data.none')}</p>
        ) : (
          <Values label={words.say('resource.data')} values={meta} />
        )}
      </Section>
      <WorkAt tasks={tasks} />
      {/* The history is read when somebody opens it, because a slow phone would wait for it. */}
      <details open={isPast} onToggle={({ currentTarget }) => setIsPast(currentTarget.open)}>
        <summary>{words.say('bench.history.resource')}</summary>
        {isPast && <History name={name} />}
      </details>
    </div>
  );
}
