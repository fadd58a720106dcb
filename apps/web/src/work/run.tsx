import type { TaskRunRecord, WaitCause } from '@lab/api-client';
import { workTone, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, type ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { client, isForbidden, useNow, useRecord } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { WorkActions } from './work-actions.js';

/** How many waiting tasks of a run are read. */
const mostWaits = 100;
/** Time between two looks at what tasks wait for, in milliseconds. */
const waitsMs = 5_000;

/** One protocol run and its tasks. */
export function Run({ name }: { name: string }): ReactNode {
  const words = useWords();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [run, { items }] = await Promise.all([
        client.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name }, signal }),
        // A role for one laboratory may not read the queue. The run is shown without the reasons then.
        client
          .get('/api/queue', { query: { protocol_run: name, limit: mostWaits }, signal })
          .catch((error: unknown) => {
            if (isForbidden(error)) return { items: [] };
            throw error;
          }),
      ]);
      return { run, waits: new Map(items.map(({ id, waits_for }) => [id, waits_for])) };
    },
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('protocol_run.') ? body['name'] === name : body['protocol_run'] === name,
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  const isWaiting = record !== undefined && record.waits.size > 0;
  useEffect(() => {
    // What a task waits for changes with other work, of which no event tells.
    const timer = isWaiting ? setInterval(readAgain, waitsMs) : undefined;
    return () => clearInterval(timer);
  }, [isWaiting, readAgain]);
  if (record === undefined) return <Unread reason={failure} />;
  const { run, waits } = record;
  return (
    <>
      <h1>{name}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <div className="headline tone-idle">
        <p>
          <State tone={workTone(run.state)}>{words.state(run.state)}</State>{' '}
          {words.say('run.of', { protocol: run.type })}, {words.say('work.of', { owner: run.owner })}
          {run.campaign !== null && (
            <>
              {', '}
              <Link to="/campaigns/$name" params={{ name: run.campaign }}>
                {words.say('work.campaign', { campaign: run.campaign })}
              </Link>
            </>
          )}
        </p>
        {run.reason !== null && <p>{run.reason.message}</p>}
      </div>
      <WorkActions kind="run" name={name} state={run.state} owner={run.owner} onDone={readAgain} />
      <Section title={words.say('work.tasks')}>
        <ul className="rows">
          {run.tasks.map((task) => (
            <TaskRow key={task.id} task={task} waits={waits.get(task.id) ?? []} />
          ))}
        </ul>
      </Section>
    </>
  );
}

function TaskRow({ task, waits }: { task: TaskRunRecord; waits: readonly WaitCause[] }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { started_at: begin, ended_at: end } = task;
  const outputs = Object.entries(task.output_parameters ?? {});
  return (
    <li className="row">
      <span className="name">{task.name}</span>
      <State tone={workTone(task.state)}>{words.state(task.state)}</State>
      <span className="hint">{task.type}</span>
      {begin !== null && (
        <span className="hint">
          {words.say('work.took', {
            age: words.age((end === null ? now : Date.parse(end)) - Date.parse(begin)),
          })}
        </span>
      )}
      {task.attempt > 1 && (
        <span className="hint">{words.say('work.attempt', { number: task.attempt })}</span>
      )}
      {task.reason !== null && <span>{task.reason.message}</span>}
      {waits.map(({ message }) => (
        <span key={message}>{message}</span>
      ))}
      {outputs.length > 0 && (
        <span className="hint">
          {outputs.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')}
        </span>
      )}
    </li>
  );
}
