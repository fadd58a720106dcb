import type { CampaignSummary, ProtocolRunSummary, TaskRunRecord } from '@lab/api-client';
import { workKinds, workTone, type LabEvent, type WorkFilter, type WorkKind } from '@lab/web-model';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Choice, Rows, State } from '../design/index.js';
import { client, readPages, useLab, useNow, usePages, useShownLab } from '../lab/index.js';
import { DayField, LabChoice, More, SearchField, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** States of work that a list can be restricted to: those of work that has not ended, and those that work ends in. */
const ofRuns = {
  unfinished: ['created', 'running', 'paused', 'needs_attention'],
  ends: ['completed', 'failed', 'cancelled'],
};
const states: Readonly<Record<WorkKind, { unfinished: readonly string[]; ends: readonly string[] }>> = {
  campaign: ofRuns,
  run: ofRuns,
  task: {
    unfinished: ['created', 'queued', 'running', 'needs_attention'],
    ends: ['completed', 'failed', 'cancelled', 'skipped'],
  },
};

type Listed =
  | { kind: 'campaign'; work: CampaignSummary }
  | { kind: 'run'; work: ProtocolRunSummary }
  | { kind: 'task'; work: TaskRunRecord };

/** All work, the newest first, as far as the filter selects it. The address has the filter, so that it can be shared. */
export function WorkList(filter: WorkFilter): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { kind = 'run', owner, text = '', from = '', to = '', archived } = filter;
  const { unfinished, ends } = states[kind];
  const state = ['unfinished', ...unfinished, ...ends].find((each) => each === filter.state);
  const since = words.startOf(from);
  const until = words.startOf(to, 1);
  const lab = useShownLab(filter.lab);
  const { me } = useLab();
  const change = (part: { [Key in keyof WorkFilter]?: WorkFilter[Key] | undefined }): void => {
    const all = Object.entries({ ...filter, ...part }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    void navigate({ to: '/work', search: Object.fromEntries(all) as WorkFilter, replace: true });
  };
  return (
    <>
      <h1>{words.say('work.title')}</h1>
      <div className="controls">
        <Choice
          label={words.say('work.kind')}
          value={kind}
          onChange={(value) => change({ kind: value as WorkKind })}
        >
          {workKinds.map((each) => (
            <option key={each} value={each}>
              {words.say(`work.kind.${each}`)}
            </option>
          ))}
        </Choice>
        <Choice
          label={words.say('work.state')}
          value={state ?? ''}
          onChange={(value) => change({ state: value })}
        >
          <option value="">{words.say('work.state.all')}</option>
          <option value="unfinished">{words.say('work.state.unfinished')}</option>
          {[...unfinished, ...ends].map((each) => (
            <option key={each} value={each}>
              {words.state(each)}
            </option>
          ))}
        </Choice>
        <Choice
          label={words.say('work.owner')}
          value={owner ?? ''}
          onChange={(value) => change({ owner: value })}
        >
          <option value="">{words.say('work.owner.all')}</option>
          {[...new Set([me.name, ...(owner === undefined ? [] : [owner])])].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Choice>
        <LabChoice lab={lab} onChange={(value) => change({ lab: value })} />
        <Choice
          label={words.say('work.archive.show')}
          value={archived ?? 'false'}
          onChange={(value) =>
            change({ archived: value === 'false' ? undefined : (value as 'true' | 'all') })
          }
        >
          {(['false', 'true', 'all'] as const).map((each) => (
            <option key={each} value={each}>
              {words.say(`work.archive.${each}`)}
            </option>
          ))}
        </Choice>
        <SearchField
          label={words.say('resources.find')}
          value={text}
          onChange={(value) => change({ text: value })}
        />
        <DayField label={words.say('work.from')} value={from} onChange={(value) => change({ from: value })} />
        <DayField label={words.say('work.to')} value={to} onChange={(value) => change({ to: value })} />
      </div>
      <Found
        key={kind}
        {...{ kind, owner, lab, archived, since, until }}
        state={state === 'unfinished' ? unfinished.join(',') : state}
        text={text.trim()}
      />
    </>
  );
}

interface Wanted {
  kind: WorkKind;
  state: string | undefined;
  owner: string | undefined;
  lab: string | undefined;
  archived: 'true' | 'all' | undefined;
  text: string;
  /** When the work was submitted at the earliest, in milliseconds since 1970. */
  since: number | undefined;
  /** As `since`: before that moment. */
  until: number | undefined;
}

const events: Readonly<Record<WorkKind, string>> = {
  campaign: 'campaign.',
  run: 'protocol_run.',
  task: 'task_run.',
};

function Found({ kind, state, owner, lab, archived, text, since, until }: Wanted): ReactNode {
  const words = useWords();
  const load = useCallback(
    (count: number, signal: AbortSignal) => {
      const filter = Object.fromEntries(
        Object.entries({ state, owner, lab, archived, text, since: iso(since), until: iso(until) }).filter(
          ([, value]) => value !== undefined && value !== '',
        ),
      );
      return readPages(async (part) => {
        const query = { ...filter, ...part };
        switch (kind) {
          case 'campaign': {
            const page = await client.get('/api/campaigns', { query, signal });
            return { ...page, items: page.items.map((work): Listed => ({ kind, work })) };
          }
          case 'run': {
            const page = await client.get('/api/protocols', { query, signal });
            return { ...page, items: page.items.map((work): Listed => ({ kind, work })) };
          }
          case 'task': {
            const page = await client.get('/api/tasks', { query, signal });
            return { ...page, items: page.items.map((work): Listed => ({ kind, work })) };
          }
        }
      }, count);
    },
    [kind, state, owner, lab, archived, text, since, until],
  );
  const concerns = useCallback(({ type }: LabEvent) => type.startsWith(events[kind]), [kind]);
  const { record, failure, more, portion } = usePages(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  return (
    <>
      {failure !== undefined && <Unread reason={failure} />}
      {record.items.length === 0 && <p role="status">{words.say('work.none')}</p>}
      <Rows items={record.items} keyOf={({ work }) => work.id}>
        {(item) => <Row {...item} />}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}

const iso = (moment: number | undefined): string | undefined =>
  moment === undefined ? undefined : new Date(moment).toISOString();

function Row(item: Listed): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  const { state, owner, created_at: made, reason } = item.work;
  return (
    <>
      <NameOf {...item} />
      <State tone={workTone(state)}>{words.state(state)}</State>
      <span className="hint">{item.kind === 'campaign' ? item.work.protocol : item.work.type}</span>
      <Link to="/work" search={(before) => ({ ...before, owner })} replace className="hint">
        {words.say('work.of', { owner })}
      </Link>
      <span className="hint">{words.say('work.since', { time: words.time(Date.parse(made), now) })}</span>
      {reason !== null && <span>{reason.message}</span>}
    </>
  );
}

function NameOf({ kind, work }: Listed): ReactNode {
  const { name } = work;
  if (kind === 'campaign')
    return (
      <Link to="/campaigns/$name" params={{ name }} className="name">
        {name}
      </Link>
    );
  if (kind === 'run')
    return (
      <Link to="/runs/$name" params={{ name }} className="name">
        {name}
      </Link>
    );
  if (work.protocol_run === null)
    return (
      <Link to="/tasks/$name" params={{ name }} className="name">
        {name}
      </Link>
    );
  return (
    <Link to="/runs/$name/tasks/$task" params={{ name: work.protocol_run, task: name }} className="name">
      {`${work.protocol_run}/${name}`}
    </Link>
  );
}
