import type { QueuedTask, QueuePage, ScheduledTask } from '@lab/api-client';
import { mayAct, type LabEvent } from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Button, Choice, Section, State } from '../design/index.js';
import { client, useLab, useNow, usePolling, useRecord, useSight } from '../lab/index.js';
import { TaskLink, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { PauseQueue } from './pause.js';
import { Waiting } from './waiting.js';

/** How many more waiting tasks a press shows, and the most of one request. */
const [portion, mostOfRequest] = [100, 500] as const;
/** The most running tasks that are read. */
const mostRunning = 500;

/**
 * What runs, what waits in which order, and why.
 *
 * @param lab undefined: of all laboratories
 */
export function Queue({ lab }: { lab: string | undefined }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const [count, setCount] = useState<number>(portion);
  // What is shown stays while more is read.
  const wanted = useRef(count);
  wanted.current = count;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [queue, schedule] = await Promise.all([
        readQueue(lab, wanted.current, signal),
        client.get('/api/schedule', { query: { ...filterOf(lab), limit: mostRunning }, signal }),
      ]);
      const running = schedule.tasks.filter(isRunning);
      return { queue, running, policy: schedule.policy };
    },
    [lab],
  );
  const concerns = useCallback(
    ({ type }: LabEvent) => type.startsWith('task_run.') || type.startsWith('halt.'),
    [],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  useEffect(() => {
    if (count > portion) readAgain();
  }, [readAgain, count]);
  usePolling(record !== undefined && record.queue.items.length > 0, readAgain);
  return (
    <>
      <h1>{words.say('queue.title')}</h1>
      <div className="controls">
        <LabChoice lab={lab} />
        {record !== undefined && mayAct(me, 'operator') && (
          <PauseQueue queue={record.queue} onDone={readAgain} />
        )}
      </div>
      {(record === undefined || failure !== undefined) && <Unread reason={failure} />}
      {record !== undefined && (
        <>
          <Summary queue={record.queue} lab={lab} />
          <Section title={words.say('queue.running')}>
            <Running tasks={record.running} />
          </Section>
          <Section title={words.say('queue.waiting')}>
            <p className="hint">{words.say(`queue.order.${record.policy}`)}</p>
            <Waiting tasks={record.queue.items} running={record.running} onDone={readAgain} />
            {record.queue.next_cursor !== null && (
              <div className="buttons">
                <Button onClick={() => setCount(record.queue.items.length + portion)}>
                  {words.say('queue.more', { count: portion })}
                </Button>
                <span className="hint">{words.say('queue.shown', { count: record.queue.items.length })}</span>
              </div>
            )}
          </Section>
        </>
      )}
    </>
  );
}

const filterOf = (lab: string | undefined): { lab?: string } => (lab === undefined ? {} : { lab });

const isRunning = ({ started_at: begin, ended_at: end }: ScheduledTask): boolean =>
  begin !== null && end === null;

/** Reads the first waiting tasks. A page may have fewer than it was asked for. @throws as the client does */
async function readQueue(lab: string | undefined, count: number, signal: AbortSignal): Promise<QueuePage> {
  const items: QueuedTask[] = [];
  for (let cursor: string | null = null; ;) {
    const query = {
      ...filterOf(lab),
      limit: Math.min(mostOfRequest, count - items.length),
      ...(cursor === null ? {} : { cursor }),
    };
    const page: QueuePage = await client.get('/api/queue', { query, signal });
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= count) return { ...page, items };
    cursor = page.next_cursor;
  }
}

function LabChoice({ lab }: { lab: string | undefined }): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { devices } = useSight().records;
  const labs = useMemo(
    () =>
      [
        ...new Set([...devices.map(({ lab_name: each }) => each), ...(lab === undefined ? [] : [lab])]),
      ].sort(),
    [devices, lab],
  );
  return (
    <Choice
      label={words.say('queue.lab')}
      value={lab ?? ''}
      onChange={(value) => void navigate({ to: '/queue', search: value === '' ? {} : { lab: value } })}
    >
      <option value="">{words.say('queue.lab.all')}</option>
      {labs.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </Choice>
  );
}

function Summary({ queue, lab }: { queue: QueuePage; lab: string | undefined }): ReactNode {
  const words = useWords();
  const { waiting, queued: ready, running, drained_by: drainer, paused } = queue;
  return (
    <div className={`headline tone-${paused || drainer !== null ? 'warning' : 'busy'}`}>
      <p>{words.say('queue.summary', { waiting, ready, running })}</p>
      {drainer !== null && <p>{words.say('queue.drained', { by: drainer })}</p>}
      {lab !== undefined && <p>{words.say('queue.lab.one', { lab })}</p>}
    </div>
  );
}

function Running({ tasks }: { tasks: readonly ScheduledTask[] }): ReactNode {
  const words = useWords();
  const now = useNow();
  if (tasks.length === 0) return <p className="hint">{words.say('queue.running.none')}</p>;
  return (
    <ul className="rows">
      {tasks.map((task) => {
        const began = Date.parse(task.started_at ?? '');
        return (
          <li key={task.id} className="row">
            <span className="name">
              <TaskLink task={task} />
            </span>
            <State tone={task.state === 'needs_attention' ? 'alarm' : 'busy'}>
              {words.state(task.state)}
            </State>
            <span>
              {words.say('queue.running.since', {
                time: words.time(began, now),
                age: words.age(now - began),
              })}
            </span>
            {task.planned_end !== null && (
              <span>
                {words.say('queue.running.end', { time: words.time(Date.parse(task.planned_end), now) })}
              </span>
            )}
            <span className="hint">
              {[...Object.values(task.devices), ...Object.values(task.resources)].join(', ')}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
