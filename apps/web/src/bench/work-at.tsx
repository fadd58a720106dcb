import type { AttentionRecord, ScheduledTask } from '@lab/api-client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Rows, Section } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { TaskLink, Waits } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** How many tasks that come next are shown. */
const mostNext = 3;

/** What a thing is used for now, and next. @param tasks those that use or want the thing, in their order */
export function WorkAt({ tasks }: { tasks: readonly ScheduledTask[] }): ReactNode {
  const words = useWords();
  const running = tasks.filter(({ started_at: begin, ended_at: end }) => begin !== null && end === null);
  const next = tasks.filter(({ started_at: begin, ended_at: end }) => begin === null && end === null);
  const onDemand = new Set(tasks.flatMap(({ protocol_run: run, label }) => (run === null ? [label] : [])));
  return (
    <>
      <Section title={words.say('bench.now')}>
        {running.length === 0 && <p className="hint">{words.say('bench.now.none')}</p>}
        <TaskList tasks={running} onDemand={onDemand} />
      </Section>
      <Section title={words.say('bench.next')}>
        {next.length === 0 && <p className="hint">{words.say('bench.next.none')}</p>}
        <TaskList tasks={next.slice(0, mostNext)} onDemand={onDemand} />
      </Section>
    </>
  );
}

function TaskList({
  tasks,
  onDemand,
}: {
  tasks: readonly ScheduledTask[];
  onDemand: ReadonlySet<string>;
}): ReactNode {
  const words = useWords();
  const now = useNow();
  return (
    <Rows items={tasks} keyOf={({ id }) => id}>
      {(task) => (
        <>
          <span className="name whole">
            <TaskLink task={task} />
          </span>
          {task.protocol_run !== null && (
            <Link to="/runs/$name" params={{ name: task.protocol_run }}>
              {words.say('bench.run', { run: task.protocol_run })}
            </Link>
          )}
          <span className="whole">{timesOf(words, task, now)}</span>
          <Waits causes={task.waits_for} onDemand={onDemand} />
        </>
      )}
    </Rows>
  );
}

function timesOf(
  words: ReturnType<typeof useWords>,
  { started_at: begin, planned_start: start, planned_end: end }: ScheduledTask,
  now: number,
): string {
  const time = (moment: string): string => words.time(Date.parse(moment), now);
  if (begin === null) return start === null ? '' : words.say('bench.next.at', { time: time(start) });
  const since = words.say('bench.now.since', { time: time(begin), age: words.age(now - Date.parse(begin)) });
  return end === null ? since : `${since}, ${words.say('bench.now.until', { time: time(end) })}`;
}

/** Leads to what a person must decide here. */
export function Questions({ items }: { items: readonly AttentionRecord[] }): ReactNode {
  const words = useWords();
  if (items.length === 0) return null;
  return (
    <Section title={words.say('bench.attention')}>
      <ul className="rows">
        {items.map(({ id, subject }) => (
          <li key={id}>
            <Link to="/attention/$id" params={{ id }} className="bench-link bench-alarm">
              {words.say('bench.attention.item', { subject })}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
