import type { AttemptRecord, TaskRunRecord, WaitCause } from '@lab/api-client';
import { fieldOf, isOver, labsSeen, workTone, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { client, readSeen, useLab, useNow, usePolling, useRecord } from '../lab/index.js';
import { Effects, pairs, Unread, useDefinition, Values, type Declared } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Files } from './files.js';
import { LiveLog } from './live-log.js';
import { Span } from './span.js';
import { waitsOf } from './waits.js';
import { WorkActions } from './work-actions.js';

/** How many calls of devices are shown, the newest first. */
const mostEffects = 50;
/** How long after the end of a task its last lines may come, in milliseconds. */
const lastLinesMs = 30_000;

/** One task: what it got, what it did, what it left, and why it waits. */
export function Task({ name, run }: { name: string; run: string | undefined }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const labs = labsSeen(me);
      const query = run === undefined ? {} : { protocol_run_name: run };
      const filter = run === undefined ? { task: name } : { task: name, protocol_run: run };
      const task = await client.get('/api/tasks/{task_name}', { path: { task_name: name }, query, signal });
      const [attempts, effects, waits] = await Promise.all([
        readSeen(
          labs,
          async (lab) => {
            const asked = { ...filter, ...lab, archived: 'all' } as const;
            return (await client.get('/api/attempts', { query: asked, signal })).items;
          },
          ({ id }) => id,
        ),
        readSeen(
          labs,
          async (lab) => {
            const asked = { ...filter, ...lab, limit: mostEffects };
            return (await client.get('/api/effects', { query: asked, signal })).items;
          },
          ({ id }) => id,
        ),
        isOver(task.state) ? new Map<string, WaitCause[]>() : waitsOf(labs, run, signal),
      ]);
      const own = attempts.filter(({ task_run_id: id }) => id === task.id);
      const ids = new Set(own.map(({ id }) => id));
      return {
        task,
        attempts: own,
        effects: effects.filter(({ attempt_id: id }) => id !== null && ids.has(id)),
        waits: waits.get(task.id) ?? [],
      };
    },
    [me, name, run],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type.startsWith('task_run.') && body['name'] === name) ||
      (type.startsWith('attempt') && body['task'] === name),
    [name],
  );
  const now = useNow(10_000);
  const { record, failure, readAgain } = useRecord(load, concerns);
  usePolling(record !== undefined && record.waits.length > 0, readAgain);
  if (record === undefined) return <Unread reason={failure} />;
  const { task, attempts, effects, waits } = record;
  return (
    <>
      <h1>{words.say('task.title', { task: task.name })}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <Head task={task} waits={waits} />
      <WorkActions kind="task" work={task} onDone={readAgain} />
      <div className="columns">
        <div>
          <Parameters task={task} />
          <Section title={words.say('task.units')}>
            <Units task={task} />
          </Section>
          <Section title={words.say('task.files')}>
            <Files task={task} />
          </Section>
        </div>
        <div>
          <Section title={words.say('task.log')}>
            <LiveLog task={task} follows={mayWrite(task, now)} />
          </Section>
          <Section title={words.say('task.attempts')}>
            <Attempts attempts={attempts} />
          </Section>
          <Section title={words.say('task.effects')}>
            <Effects effects={effects} nameOf={(effect) => `${effect.device}.${effect.function}`} />
            {effects.length === mostEffects && (
              <p className="hint">{words.say('task.effects.newest', { count: mostEffects })}</p>
            )}
          </Section>
        </div>
      </div>
    </>
  );
}

/** Whether lines may still come: an agent stores the last ones some time after the end of a task. */
function mayWrite({ state, ended_at: end }: TaskRunRecord, now: number): boolean {
  if (end !== null) return now - Date.parse(end) < lastLinesMs;
  return !isOver(state) && state !== 'skipped';
}

function Head({ task, waits }: { task: TaskRunRecord; waits: readonly WaitCause[] }): ReactNode {
  const words = useWords();
  const { late_by_s: late, reason, computer, protocol_run: run } = task;
  return (
    <div className={`headline tone-${workTone(task.state)}`}>
      <p>
        <State tone={workTone(task.state)}>{words.state(task.state)}</State> {task.type}
        {', '}
        {run === null ? (
          words.say('task.on_demand')
        ) : (
          <Link to="/runs/$name" params={{ name: run }}>
            {words.say('task.run', { run })}
          </Link>
        )}
        {computer !== null && `, ${words.say('task.computer', { computer })}`}
      </p>
      <Span work={task} />
      {late !== null && <p>{words.say('task.late', { count: Math.round(late) })}</p>}
      {reason !== null && <p>{reason.message}</p>}
      {waits.length > 0 && (
        <>
          <p>{words.say('task.waits')}</p>
          <ul>
            {waits.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Parameters({ task }: { task: TaskRunRecord }): ReactNode {
  const words = useWords();
  const definition = useDefinition('task', task.type)?.definition;
  const declared = (field: string): Record<string, Declared> =>
    (fieldOf(definition, field) ?? {}) as Record<string, Declared>;
  return (
    <>
      <Section title={words.say('task.inputs')}>
        <Values
          label={words.say('task.inputs')}
          values={task.input_parameters}
          declared={declared('input_parameters')}
        />
      </Section>
      <Section title={words.say('task.outputs')}>
        {task.output_parameters === null ? (
          <p className="hint">{words.say('task.none.yet')}</p>
        ) : (
          <Values
            label={words.say('task.outputs')}
            values={task.output_parameters}
            declared={declared('output_parameters')}
          />
        )}
      </Section>
    </>
  );
}

function Units({ task }: { task: TaskRunRecord }): ReactNode {
  const words = useWords();
  const devices = Object.entries(task.devices);
  const resources = Object.entries(task.input_resources);
  if (devices.length + resources.length === 0) return <p className="hint">{words.say('task.none')}</p>;
  return (
    <dl className="known">
      {devices.map(([slot, { lab_name: lab, name }]) => (
        <div key={slot}>
          <dt>{slot}</dt>
          <dd>
            {lab}.{name}
          </dd>
        </div>
      ))}
      {resources.map(([slot, { name, meta }]) => (
        <div key={slot}>
          <dt>{slot}</dt>
          <dd>
            {name} <span className="hint">{pairs(meta)}</span>
            {task.output_resources?.[slot] !== undefined && (
              <>
                {' → '}
                <span className="hint">{pairs(task.output_resources[slot].meta)}</span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Attempts({ attempts }: { attempts: readonly AttemptRecord[] }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  if (attempts.length === 0) return <p className="hint">{words.say('task.none.yet')}</p>;
  return (
    <ul className="rows">
      {attempts.map(({ id, number, state, computer, created_at: at, reason, calls }) => (
        <li key={id} className="row">
          <span className="name">{words.say('task.attempt', { number })}</span>
          <State tone={workTone(state)}>{words.state(state)}</State>
          <span className="hint">
            {words.say('task.computer', { computer })}, {words.time(Date.parse(at), now)}
          </span>
          {reason !== null && <span className="whole">{reason.message}</span>}
          {calls?.last_confirmed != null && (
            <span className="whole hint">
              {words.say('task.last_confirmed', {
                call: `${calls.last_confirmed.device}.${calls.last_confirmed.function}`,
              })}
            </span>
          )}
          {calls?.in_doubt != null && (
            <span className="whole loud">
              {words.say('task.in_doubt', { call: `${calls.in_doubt.device}.${calls.in_doubt.function}` })}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
