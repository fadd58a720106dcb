import type { QueuedTask, ScheduledTask } from '@lab/api-client';
import { mayAct, placeReasonOf } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Button, Rows, State } from '../design/index.js';
import { useLab, useMayAct, useNow } from '../lab/index.js';
import { TaskLink, Waits } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { CancelWaiting } from './cancel.js';
import { MoveWaiting } from './move.js';

interface Asked {
  act: 'move' | 'cancel';
  task: QueuedTask;
}

/** The tasks that wait, in their order. Each has its place, why it has it, and why it waits. */
export function Waiting({
  tasks,
  running,
  onDone,
}: {
  tasks: readonly QueuedTask[];
  running: readonly ScheduledTask[];
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const now = useNow();
  const { me } = useLab();
  const [asked, setAsked] = useState<Asked>();
  const onDemand = new Set(
    [...tasks, ...running].flatMap(({ protocol_run: run, label }) => (run === null ? [label] : [])),
  );
  if (tasks.length === 0) return <p className="hint">{words.say('queue.waiting.none')}</p>;
  const close = (): void => setAsked(undefined);
  const done = (): void => {
    onDone();
    close();
  };
  return (
    <>
      <Rows items={tasks} keyOf={({ id }) => id} rowClass="queue-row" ordered>
        {(task) => (
          <>
            <span className="queue-place">
              <span className="hidden">{words.say('queue.place', { position: '' })}</span>
              {task.position}
            </span>
            <Facts task={task} now={now} />
            <span>
              <Waits causes={task.waits_for} onDemand={onDemand} />
            </span>
            {(mayAct(me, 'operator') || (task.owner === me.name && mayAct(me, 'submitter'))) && (
              <Acts task={task} onAsk={(act) => setAsked({ act, task })} />
            )}
          </>
        )}
      </Rows>
      {asked?.act === 'move' && <MoveWaiting tasks={tasks} task={asked.task} onClose={close} onDone={done} />}
      {asked?.act === 'cancel' && (
        <CancelWaiting tasks={tasks} task={asked.task} onClose={close} onDone={done} />
      )}
    </>
  );
}

function Facts({ task, now }: { task: QueuedTask; now: number }): ReactNode {
  const words = useWords();
  const { priority, effective_priority: effective, planned_start: planned, campaign, owner } = task;
  return (
    <div>
      <span className="queue-head">
        <span className="name">
          <TaskLink task={task} />
        </span>
        <State tone={task.state === 'queued' ? 'warning' : 'idle'}>{words.state(task.state)}</State>
      </span>
      <span>
        {[
          words.say('queue.since', { age: words.age(now - Date.parse(task.waiting_since)) }),
          ...(planned === null
            ? []
            : [words.say('queue.starts', { time: words.time(Date.parse(planned), now) })]),
          words.say(`queue.why.${placeReasonOf(task)}`, { priority, effective }),
        ].join(' \u00b7 ')}
      </span>
      <span className="hint">
        {task.type}
        {owner !== '' && `, ${words.say('work.of', { owner })}`}
        {campaign !== null && (
          <>
            {', '}
            <Link to="/campaigns/$name" params={{ name: campaign }}>
              {words.say('work.campaign', { campaign })}
            </Link>
          </>
        )}
      </span>
    </div>
  );
}

function Acts({ task, onAsk }: { task: QueuedTask; onAsk(act: Asked['act']): void }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  return (
    <div className="buttons">
      {(['move', 'cancel'] as const).map((act) => (
        <Button key={act} disabled={!mayChange} aria-haspopup="dialog" onClick={() => onAsk(act)}>
          {words.say(`queue.${act}`)}
          <span className="hidden"> {task.label}</span>
        </Button>
      ))}
    </div>
  );
}
