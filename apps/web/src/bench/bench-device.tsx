import type { EffectRecord } from '@lab/api-client';
import { deviceTone, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Section } from '../design/index.js';
import { DeviceState, factsOf, Service } from '../equipment/index.js';
import { client, useNow, usePolling, useRecord, useSight } from '../lab/index.js';
import { Effects, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { EmergencyStop } from '../stop/index.js';
import { readTasks } from './read-tasks.js';
import { Questions, WorkAt } from './work-at.js';

/** How many calls are shown, the newest first. */
const mostEffects = 10;

/** A device for a person who stands before it. */
export function BenchDevice({ lab, name }: { lab: string; name: string }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { attention } = useSight().records;
  const full = `${lab}.${name}`;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const path = { lab_id: lab, device_id: name };
      const [device, tasks, effects] = await Promise.all([
        client.get('/api/labs/{lab_id}/devices/{device_id}', { path, signal }),
        readTasks({ lab, device: `${lab}.${name}` }, signal),
        client.get('/api/effects', { query: { lab, device: name, limit: mostEffects }, signal }),
      ]);
      return { device, tasks: tasks, effects: effects.items };
    },
    [lab, name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('halt.') ||
      type.startsWith('task_run.') ||
      (type.startsWith('device.') && body['lab'] === lab && body['name'] === name),
    [lab, name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  usePolling(record !== undefined && record.tasks.length > 0, readAgain);
  if (record === undefined) return <Unread reason={failure} />;
  const { device, tasks, effects } = record;
  const held = device.held_by;
  return (
    <div className="bench">
      <Link to="/bench">{words.say('bench.all')}</Link>
      <h1>{name}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <div className={`headline tone-${deviceTone(device)}`}>
        <p>
          <DeviceState device={device} />
        </p>
        <p>
          {words.say('resources.of', { type: device.type, lab })}
          {held !== null && `, ${words.say('device.held', { task: held })}`}
        </p>
        {factsOf(words, device, now).map((fact) => (
          <p key={fact}>{fact}</p>
        ))}
      </div>
      <Questions
        items={attention.filter((item) => item.device === full || (item.subject === held && held !== null))}
      />
      <div className="buttons">
        <EmergencyStop device={{ lab, name }} />
        <Service device={device} onDone={readAgain} />
        <Link to="/devices/$lab/$name" params={{ lab, name }} className="button">
          {words.say('bench.more.device')}
        </Link>
        <Link to="/labels" search={{ lab, device: name }} className="button">
          {words.say('label.open')}
        </Link>
      </div>
      <WorkAt tasks={tasks} />
      <Section title={words.say('bench.history')}>
        <Effects effects={effects} nameOf={nameOfEffect} />
      </Section>
    </div>
  );
}

const nameOfEffect = (effect: EffectRecord): string => effect.function;
