import type { ScheduledTask } from '@lab/api-client';
import {
  barOf,
  groupings,
  holdsOf,
  latenessOf,
  rowsOf,
  scheduleMinutes,
  workTone,
  type ChainBar,
  type GanttBar,
  type Grouping,
  type Hold,
  type LabEvent,
  type ScheduleView,
  type WordKey,
} from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { memo, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Button, Choice, LongTable, Rows, Section, State } from '../design/index.js';
import { useLab, useNow, useRecord, useSight } from '../lab/index.js';
import { CutAt, TaskLink, Unread, Waits } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Chain, ChainMark } from './chain.js';
import { GanttChart } from './chart.js';
import { mostHolds, mostTasks, mostUnfinished, scheduleReader } from './read-schedule.js';
import { useChain } from './use-chain.js';

const [minute, hour] = [60_000, 3_600_000] as const;
/** Runs whose chain can be chosen: those that end last. */
const mostChoices = 200;
/** Shortest rest between two readings for events, in milliseconds: each of them concerns the plan of the whole laboratory. */
const restMs = 5_000;
/** How often a window that moves with time is read again, in milliseconds. */
const stepMs = 10_000;

/** Plan beside actual over time, and why each waiting task waits. The address has the view, so that it can be shared. */
export function Schedule(view: ScheduleView): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const moving = useNow(stepMs);
  const { me } = useLab();
  const { devices, agents } = useSight().records;
  const { rows: grouping = 'device', minutes = 60, chain: isChainShown = false, run } = view;
  const length = minutes * minute;
  const change = (part: { [Key in keyof ScheduleView]?: ScheduleView[Key] | undefined }): void => {
    const all = Object.entries({ ...view, ...part }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/schedule', search: Object.fromEntries(all) as ScheduleView, replace: true });
  };
  // A chart is hardly wider than 2,000 pixels. A smaller step would draw thousands of bars for a change that nobody sees.
  const now = useNow(Math.max(1_000, length / 2_000));
  /** Where the window begins; undefined: it moves with time. */
  const [fixed, setFixed] = useState<number>();
  const start = fixed ?? moving - length * 0.75;
  // What is shown stays while the window moves, so that nothing flickers.
  const wanted = useRef({ start, length });
  wanted.current = { start, length };
  const reader = useMemo(() => scheduleReader(me), [me]);
  const load = useCallback(
    (signal: AbortSignal) => {
      const { start: from, length: ms } = wanted.current;
      return reader({ start: from, end: from + ms }, signal);
    },
    [reader],
  );
  const concerns = useCallback(({ type }: LabEvent) => type.startsWith('task_run.'), []);
  const { record, failure, readAgain } = useRecord(load, concerns, restMs);
  useEffect(() => {
    readAgain();
  }, [readAgain, start, length]);
  const computers = useMemo(
    () => new Map(devices.map(({ lab_name: lab, name, computer }) => [`${lab}.${name}`, computer])),
    [devices],
  );
  const rows = useMemo(() => {
    // What has no task in this time has a row as well, except for runs.
    const always: Readonly<Record<Grouping, readonly string[]>> = {
      device: [...computers.keys()],
      resource: (record?.reservations ?? []).flatMap(({ resource }) => resource ?? []),
      computer: [...computers.values()],
      run: [],
    };
    return rowsOf(record?.shown.tasks ?? [], grouping, computers, always[grouping]);
  }, [record, grouping, computers]);
  const holds = useMemo(
    () => holdsOf(record?.reservations ?? [], devices, agents),
    [record, devices, agents],
  );
  const holdsByUnit = useMemo(() => {
    const byUnit = new Map<string, Hold[]>();
    for (const hold of holds)
      for (const row of hold.rows) byUnit.set(row, [...(byUnit.get(row) ?? []), hold]);
    return byUnit;
  }, [holds]);
  const chained = useChain(record?.shown.tasks ?? none, run, holdsByUnit, moving, isChainShown);
  const chainBars = useMemo(() => chained.chain.map(({ bar }) => bar), [chained]);
  const unplanned = (record?.waiting ?? none).filter(
    (task) => task.protocol_run === chained.run && barOf(task) === undefined,
  );
  const shown = useMemo(() => ({ start, end: start + length }), [start, length]);
  const open = useCallback(
    ({ task }: GanttBar): void => {
      if (task.protocol_run === null) void navigate({ to: '/tasks/$name', params: { name: task.name } });
      else
        void navigate({
          to: '/runs/$name/tasks/$task',
          params: { name: task.protocol_run, task: task.name },
        });
    },
    [navigate],
  );
  return (
    <>
      <h1>{words.say('schedule.title')}</h1>
      <div className="controls">
        <Choice
          label={words.say('schedule.rows')}
          value={grouping}
          onChange={(value) => change({ rows: value as Grouping })}
        >
          {groupings.map((each) => (
            <option key={each} value={each}>
              {words.say(`schedule.by.${each}`)}
            </option>
          ))}
        </Choice>
        <Choice
          label={words.say('schedule.window')}
          value={String(minutes)}
          onChange={(value) => change({ minutes: scheduleMinutes.find((each) => String(each) === value) })}
        >
          {scheduleMinutes.map((each) => (
            <option key={each} value={each}>
              {lengthText(words, each * minute)}
            </option>
          ))}
        </Choice>
        <Button onClick={() => setFixed(start - length / 2)}>{words.say('schedule.earlier')}</Button>
        <Button onClick={() => setFixed(undefined)} aria-pressed={fixed === undefined}>
          {words.say('schedule.now')}
        </Button>
        <Button onClick={() => setFixed(start + length / 2)}>{words.say('schedule.later')}</Button>
        <Button
          aria-pressed={isChainShown}
          onClick={() => change({ chain: isChainShown ? undefined : true, run: undefined })}
        >
          {words.say('schedule.chain')}
        </Button>
        {isChainShown && (
          <ChainChoice runs={chained.runs} run={run} onChange={(value) => change({ run: value })} />
        )}
      </div>
      {failure !== undefined && <Unread reason={failure} />}
      <GanttChart
        rows={rows}
        holds={holdsByUnit}
        chain={chainBars}
        window={shown}
        now={now}
        label={words.say('schedule.chart')}
        onChoose={open}
      />
      <p className="hint">{words.say('schedule.legend')}</p>
      {record?.shown.truncated === true && (
        <p role="status">{words.say('schedule.truncated', { count: mostTasks })}</p>
      )}
      {isChainShown && record !== undefined && <Chain shown={chained} unplanned={unplanned.length} />}
      <Section title={words.say('schedule.waiting')}>
        {record !== undefined && <Waiting tasks={record.waiting} onDemand={record.onDemand} />}
        {record?.cut.waiting === true && <CutAt count={mostUnfinished} />}
      </Section>
      {holds.length > 0 && (
        <Section title={words.say('schedule.holds')}>
          <Holds holds={holds} now={now} />
          {record?.cut.reservations === true && <CutAt count={mostHolds} />}
        </Section>
      )}
      <Section title={words.say('schedule.table')}>
        <Table
          tasks={record?.shown.tasks ?? none}
          now={now}
          chain={isChainShown ? chained.chain : undefined}
        />
      </Section>
    </>
  );
}

function ChainChoice({
  runs,
  run,
  onChange,
}: {
  runs: readonly string[];
  run: string | undefined;
  onChange(run: string | undefined): void;
}): ReactNode {
  const words = useWords();
  const choices = runs.slice(0, mostChoices);
  if (run !== undefined && !choices.includes(run)) choices.unshift(run);
  return (
    <Choice
      label={words.say('schedule.chain.run')}
      value={run ?? ''}
      onChange={(value) => onChange(value === '' ? undefined : value)}
    >
      <option value="">{words.say('schedule.chain.last')}</option>
      {choices.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </Choice>
  );
}

function lengthText(words: ReturnType<typeof useWords>, ms: number): string {
  if (ms < hour) return words.say('schedule.minutes', { count: ms / minute });
  if (ms === hour) return words.say('schedule.hour');
  if (ms < 24 * hour) return words.say('schedule.hours', { count: ms / hour });
  return words.say(ms === 24 * hour ? 'schedule.day' : 'schedule.week');
}

function Holds({ holds, now }: { holds: readonly Hold[]; now: number }): ReactNode {
  const words = useWords();
  return (
    <Rows items={holds} keyOf={({ unit, start }) => `${unit} ${start}`}>
      {({ unit, kind, start, end, reason, by }) => (
        <>
          <span className="name">{unit}</span>
          <State tone={kind === 'reserved' ? 'warning' : 'idle'}>
            {words.say(`schedule.hold.${kind}` satisfies WordKey)}
          </State>
          <span>
            {end === undefined
              ? words.say('task.since', { time: words.time(start, now) })
              : words.say('schedule.hold.time', { from: words.time(start, now), to: words.time(end, now) })}
          </span>
          <span className="hint">{words.say('schedule.hold.why', { reason, by })}</span>
        </>
      )}
    </Rows>
  );
}

/** @param onDemand labels of the on-demand tasks that are known */
function Waiting({
  tasks,
  onDemand,
}: {
  tasks: readonly ScheduledTask[];
  onDemand: ReadonlySet<string>;
}): ReactNode {
  const words = useWords();
  if (tasks.length === 0) return <p className="hint">{words.say('schedule.waiting.none')}</p>;
  return (
    <Rows items={tasks} keyOf={({ id }) => id}>
      {(task) => (
        <>
          <span className="name">
            <TaskLink task={task} />
          </span>
          <Waits causes={task.waits_for} onDemand={onDemand} />
        </>
      )}
    </Rows>
  );
}

const none: readonly ScheduledTask[] = [];

interface TableProps {
  tasks: readonly ScheduledTask[];
  now: number;
  /** The critical chain; undefined: it is not shown. */
  chain: readonly ChainBar[] | undefined;
}

/** Drawn again only when the tasks or the time change, as is the chart. */
const Table = memo(function Table({ tasks, now, chain }: TableProps): ReactNode {
  const words = useWords();
  const bars = useMemo(() => tasks.flatMap((task) => barOf(task) ?? []), [tasks]);
  const places = useMemo(() => new Map(chain?.map(({ bar }, index) => [bar, index + 1])), [chain]);
  if (bars.length === 0) return <p className="hint">{words.say('schedule.none')}</p>;
  return (
    <LongTable
      label={words.say('schedule.table')}
      columns={(
        [
          'task',
          'state',
          ...(chain === undefined ? [] : (['chain'] as const)),
          'start',
          'end',
          'late',
          'units',
        ] as const
      ).map((name) => words.say(`schedule.${name}`))}
      items={bars}
      keyOf={({ task }) => task.id}
    >
      {(bar) => {
        const { task, start, end, isActual } = bar;
        const place = places.get(bar);
        return (
          <>
            <th scope="row">
              <TaskLink task={task} />
            </th>
            <td>
              <State tone={workTone(task.state)}>{words.state(task.state)}</State>
            </td>
            {chain !== undefined && <td>{place !== undefined && <ChainMark place={place} of={chain} />}</td>}
            <td>{time(words, start, now, isActual)}</td>
            <td>{end !== undefined && time(words, end, now, task.ended_at !== null)}</td>
            <td>{late(words, bar)}</td>
            <td className="hint">
              {[...Object.values(task.devices), ...Object.values(task.resources)].join(', ')}
            </td>
          </>
        );
      }}
    </LongTable>
  );
});

function time(words: ReturnType<typeof useWords>, moment: number, now: number, isActual: boolean): string {
  const text = words.time(moment, now);
  return isActual ? text : words.say('schedule.expected', { time: text });
}

function late(words: ReturnType<typeof useWords>, bar: GanttBar): string {
  const ms = latenessOf(bar);
  if (ms === undefined) return '';
  return words.say(ms < 0 ? 'schedule.late.earlier' : 'schedule.late.later', {
    age: words.age(Math.abs(ms)),
  });
}
