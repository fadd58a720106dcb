import type { LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Section } from '../design/index.js';
import { client, useRecord } from '../lab/index.js';
import { Unread, Values } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { History } from './history.js';
import { ResourceActions } from './resource-actions.js';
import { Holder, ResourceState } from './resource-facts.js';

/** One resource: who has it, its data, and what became of it. */
export function Resource({ name }: { name: string }): ReactNode {
  const words = useWords();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.get('/api/resources/{resource_name}', { path: { resource_name: name }, signal }),
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type === 'resource.changed' && body['name'] === name) ||
      type.startsWith('task_run.') ||
      type.startsWith('protocol_run.'),
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  const isHeld = record.used_by !== null || record.held_by !== null;
  return (
    <>
      <h1>{words.say('resource.title', { name })}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <div className={`headline tone-${isHeld ? 'busy' : 'good'}`}>
        <p>
          <ResourceState resource={record} />{' '}
          {words.say('resources.of', { type: record.type, lab: record.lab })}
        </p>
        <Holder resource={record} />
      </div>
      <div className="buttons">
        <ResourceActions resource={record} onDone={readAgain} />
        <Link to="/bench/resources/$name" params={{ name }} className="button">
          {words.say('bench.open')}
        </Link>
        <Link to="/labels" search={{ resource: name }} className="button">
          {words.say('label.open')}
        </Link>
      </div>
      <div className="columns">
        <Section title={words.say('resource.data')}>
          {Object.keys(record.meta).length === 0 ? (
            <p className="hint">{words.say('resource.data.none')}</p>
          ) : (
            <Values label={words.say('resource.data')} values={record.meta} />
          )}
        </Section>
        <Section title={words.say('resource.history')}>
          <History name={name} />
        </Section>
      </div>
    </>
  );
}
