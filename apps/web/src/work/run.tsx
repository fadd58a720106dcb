import type { ProtocolRunRecord, TaskRunRecord, WaitCause } from '@lab/api-client';
import { labsSeen, plainText, workTone, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { client, useLab, useNow, usePolling, useRecord } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Chain, useChain } from './chain.js';
import { Span } from './span.js';
import { TaskGraph } from './task-graph.js';
import { waitsOf } from './waits.js';
import { WorkActions } from './work-actions.js';

/** One protocol run: the order of its tasks, what each does or waits for, and what it left. */
export function Run({ name }: { name: string }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [run, waits] = await Promise.all([
        client.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name }, signal }),
        waitsOf(labsSeen(me), name, signal),
      ]);
      return { run, waits };
    },
    [me, name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('protocol_run.') ? body['name'] === name : body['protocol_run'] === name,
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  usePolling(record !== undefined && record.waits.size > 0, readAgain);
  if (record === undefined) return <Unread reason={failure} />;
  const { run, waits } = record;
  const hasFiles = run.tasks.some(({ output_files: files }) => files.length > 0);
  return (
    <>
      <h1>{name}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <Head run={run} />
      <WorkActions kind="run" work={run} onDone={readAgain} />
      <Order run={run} />
      <Section title={words.say('work.tasks')}>
        <Rows items={run.tasks} keyOf={({ id }) => id}>
          {(task) => <TaskRow run={name} task={task} waits={waits.get(task.id) ?? []} />}
        </Rows>
        {hasFiles && (
          <p>
            <a href={`/api/protocols/${encodeURIComponent(name)}/files.zip`} download>
              {words.say('file.all')}
            </a>
          </p>
        )}
      </Section>
    </>
  );
}

/** The order of the tasks, and those that decide its end. */
function Order({ run }: { run: ProtocolRunRecord }): ReactNode {
  const words = useWords();
  const chain = useChain(run);
  const { name, type, definition_hash: hash, tasks } = run;
  return (
    <>
      <Section title={words.say('run.graph')}>
        <TaskGraph run={name} protocol={type} {...{ hash, tasks }} chain={chain.map((each) => each.name)} />
      </Section>
      <Chain run={name} chain={chain} />
    </>
  );
}

function Head({ run }: { run: ProtocolRunRecord }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { state, type, owner, campaign, priority, reason, archived_at: archived } = run;
  const eta = run.estimated_completion;
  return (
    <div className={`headline tone-${workTone(state)}`}>
      <p>
        <State tone={workTone(state)}>{words.state(state)}</State> {words.say('run.of', { protocol: type })},{' '}
        {words.say('work.of', { owner })}
        {campaign !== null && (
          <>
            {', '}
            <Link to="/campaigns/$name" params={{ name: campaign }}>
              {words.say('work.campaign', { campaign })}
            </Link>
          </>
        )}
        {`, ${words.say('run.priority', { priority: String(priority) })}`}
        {eta !== null && `, ${words.say('run.eta', { time: words.time(Date.parse(eta), now) })}`}
      </p>
      <Span work={run} />
      {reason !== null && <p>{reason.message}</p>}
      {archived !== null && (
        <p>{words.say('work.archived', { time: words.time(Date.parse(archived), now) })}</p>
      )}
    </div>
  );
}

function TaskRow({
  run,
  task,
  waits,
}: {
  run: string;
  task: TaskRunRecord;
  waits: readonly WaitCause[];
}): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { started_at: begin, ended_at: end } = task;
  const outputs = Object.entries(task.output_parameters ?? {});
  return (
    <>
      <Link to="/runs/$name/tasks/$task" params={{ name: run, task: task.name }} className="name">
        {task.name}
      </Link>
      <State tone={workTone(task.state)}>{words.state(task.state)}</State>
      <span className="hint">{task.type}</span>
      {begin !== null && (
        <span className="hint">
          {words.say('work.took', {
            age:
              end === null
                ? words.age(now - Date.parse(begin))
                : words.duration(Date.parse(end) - Date.parse(begin)),
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
          {outputs.map(([name, value]) => `${name} = ${plainText(value)}`).join(', ')}
        </span>
      )}
      {task.output_files.length > 0 && (
        <span className="hint">{task.output_files.map(({ name }) => name).join(', ')}</span>
      )}
    </>
  );
}
