import type { QueuePage, ScheduledTask } from '@lab/api-client';
import { mayAct, type LabEvent } from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { client, readPages, useLab, useNow, usePages, usePolling, useShownLab } from '../lab/index.js';
import { CutAt, LabChoice, More, TaskLink, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { PauseQueue } from './pause.js';
import { Waiting } from './waiting.js';

/** The most running tasks that are read. */
const mostRunning = 500;

/**
 * What runs, what waits in which order, and why.
 *
 * @param lab undefined: of all laboratories
 */
export function Queue({ lab: chosen }: { lab: string | undefined }): ReactNode {
  const words = useWords();
  const lab = useShownLab(chosen);
  const navigate = useNavigate();
  const { me } = useLab();
  const load = useCallback(
    async (count: number, signal: AbortSignal) => {
      const filter = lab === undefined ? {} : { lab };
      const [queue, schedule] = await Promise.all([
        readPages(
          (part): Promise<QueuePage> => client.get('/api/queue', { query: { ...filter, ...part }, signal }),
          count,
        ),
        client.get('/api/schedule', { query: { ...filter, limit: mostRunning }, signal }),
      ]);
      const running = schedule.tasks.filter(isRunning);
      // Tasks that run are listed first.
      const isCut = schedule.truncated && running.length === schedule.tasks.length;
      return { queue, running, isCut, policy: schedule.policy };
    },
    [lab],
  );
  const concerns = useCallback(
    ({ type }: LabEvent) => type.startsWith('task_run.') || type.startsWith('halt.'),
    [],
  );
  const { record, failure, readAgain, more, portion } = usePages(load, concerns);
  usePolling(record !== undefined && record.queue.items.length > 0, readAgain);
  return (
    <>
      <h1>{words.say('queue.title')}</h1>
      <div className="controls">
        <LabChoice
          lab={lab}
          onChange={(value) =>
            void navigate({ to: '/queue', search: value === undefined ? {} : { lab: value } })
          }
        />
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
            {record.isCut && <CutAt count={mostRunning} />}
          </Section>
          <Section title={words.say('queue.waiting')}>
            <p className="hint">{words.say(`queue.order.${record.policy}`)}</p>
            <Waiting tasks={record.queue.items} running={record.running} onDone={readAgain} />
            <More page={record.queue} onMore={more} portion={portion} />
          </Section>
        </>
      )}
    </>
  );
}

const isRunning = ({ started_at: begin, ended_at: end }: ScheduledTask): boolean =>
  begin !== null && end === null;

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
    <Rows items={tasks} keyOf={({ id }) => id}>
      {(task) => {
        const began = Date.parse(task.started_at ?? '');
        return (
          <>
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
          </>
        );
      }}
    </Rows>
  );
}
