import type { CampaignRecord, JournalEntry, OptimizerRecord } from '@lab/api-client';
import {
  isOver,
  plainText,
  runtimeFieldsOf,
  textOf,
  type LabEvent,
  type Tone,
  type Value,
  type WordKey,
} from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, Section, State, TextField } from '../design/index.js';
import { Fields, useFields } from '../forms/index.js';
import { client, reasonOf, useMayAct, useNow, useRecord } from '../lab/index.js';
import { Unread, Values } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { useMayChange } from './may-change.js';

const tones: Readonly<Record<OptimizerRecord['state'], Tone>> = {
  opening: 'busy',
  ready: 'good',
  waiting: 'warning',
  closed: 'idle',
};

/** What the optimizer of a campaign knows and did: its settings, what people told it, and how it found each point. */
export function Optimizer({ campaign }: { campaign: CampaignRecord }): ReactNode {
  const words = useWords();
  const mayChange = useMayChange('campaign', campaign) && !isOver(campaign.state);
  const { name } = campaign;
  const load = useCallback(
    (signal: AbortSignal) =>
      client.get('/api/campaigns/{campaign_name}/optimizer', { path: { campaign_name: name }, signal }),
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type.startsWith('campaign.') && body['name'] === name) ||
      (type.startsWith('trial.') && body['campaign'] === name),
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  if (record === undefined)
    return (
      <Section title={words.say('optimizer.title')}>
        <Unread reason={failure} />
      </Section>
    );
  const { state, worker, reason, runtime_params: values, insights, journal } = record;
  return (
    <Section title={words.say('optimizer.title')}>
      <p>
        <State tone={tones[state]}>{words.say(`optimizer.${state}` satisfies WordKey)}</State>{' '}
        {worker !== null && words.say('optimizer.worker', { worker })} {reason?.message}
      </p>
      <Values label={words.say('optimizer.settings')} values={values} declared={meaningsOf(record)} />
      {mayChange && (
        <div className="buttons">
          <ChangeSettings campaign={name} record={record} onDone={readAgain} />
          <GiveInsight campaign={name} onDone={readAgain} />
        </div>
      )}
      {insights.length > 0 && <Insights insights={insights} />}
      {journal.length > 0 && <Journal entries={journal} />}
    </Section>
  );
}

const meaningsOf = ({ fields }: OptimizerRecord): Record<string, { desc: string }> =>
  Object.fromEntries(fields.map(({ key, description = '' }) => [key, { desc: description }]));

interface ActProps {
  campaign: string;
  onDone(): void;
}

function ChangeSettings({ record, ...props }: ActProps & { record: OptimizerRecord }): ReactNode {
  const words = useWords();
  const mayAct = useMayAct();
  const [open, setOpen] = useState(false);
  const fields = useMemo(() => runtimeFieldsOf(record.fields, record.runtime_params), [record]);
  if (fields.length === 0) return null;
  return (
    <>
      <Button disabled={!mayAct} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.say('optimizer.change')}
      </Button>
      {open && <SettingsForm {...props} record={record} onClose={() => setOpen(false)} />}
    </>
  );
}

function SettingsForm({
  campaign,
  record: first,
  onDone,
  onClose,
}: ActProps & { record: OptimizerRecord; onClose(): void }): ReactNode {
  const words = useWords();
  // What a person is changing stays, whatever is read meanwhile.
  const [record] = useState(first);
  const fields = useMemo(() => runtimeFieldsOf(record.fields, record.runtime_params), [record]);
  const state = useFields(fields);
  const [failure, setFailure] = useState<string>();
  const { begin } = state;
  useEffect(() => {
    begin(
      new Map(fields.map((field) => [field.name, textOf(field, record.runtime_params[field.name] as Value)])),
    );
  }, [begin, fields, record]);
  const change = async (): Promise<void> => {
    const values = state.read();
    if (values === undefined) return;
    const changed = Object.entries(values).filter(([name, value]) => value !== record.runtime_params[name]);
    try {
      if (changed.length > 0)
        await client.put('/api/campaigns/{campaign_name}/optimizer/params', {
          path: { campaign_name: campaign },
          body: Object.fromEntries(changed) as OptimizerRecord['runtime_params'],
        });
      onDone();
      onClose();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: state.refused(error, '') }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('optimizer.change')}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <p>{words.say('optimizer.change.effect')}</p>
        <Fields state={state} />
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main">
            {words.say('optimizer.change')}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function GiveInsight({ campaign, onDone }: ActProps): ReactNode {
  const words = useWords();
  const mayAct = useMayAct();
  const [open, setOpen] = useState(false);
  const [insight, setInsight] = useState('');
  const [failure, setFailure] = useState<string>();
  const give = async (): Promise<void> => {
    try {
      await client.post('/api/campaigns/{campaign_name}/optimizer/insight', {
        path: { campaign_name: campaign },
        body: { insight: insight.trim() },
      });
      setInsight('');
      setFailure(undefined);
      setOpen(false);
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <>
      <Button disabled={!mayAct} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.say('optimizer.insight.give')}
      </Button>
      {open && (
        <Dialog onClose={() => setOpen(false)} title={words.say('optimizer.insight.give')}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              void give();
            }}
          >
            <TextField
              label={words.say('optimizer.insight')}
              hint={words.say('optimizer.insight.effect')}
              data-first
              required
              value={insight}
              onChange={setInsight}
            />
            <Failure>{failure}</Failure>
            <div className="buttons">
              <Button type="submit" look="main">
                {words.say('optimizer.insight.give')}
              </Button>
              <Button onClick={() => setOpen(false)}>{words.say('stop.cancel')}</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}

function Insights({ insights }: Pick<OptimizerRecord, 'insights'>): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  return (
    <>
      <h3>{words.say('optimizer.insights')}</h3>
      <ul className="rows">
        {insights.map(({ id, text, by, at, used }) => (
          <li key={id} className="row">
            <State tone={used ? 'good' : 'idle'}>
              {words.say(used ? 'optimizer.insight.used' : 'optimizer.insight.waits')}
            </State>
            <span>{text}</span>
            <span className="hint">
              {words.say('optimizer.insight.by', { by, time: words.time(Date.parse(at), now) })}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Journal({ entries }: { entries: readonly JournalEntry[] }): ReactNode {
  const words = useWords();
  return (
    <>
      <h3>{words.say('optimizer.journal')}</h3>
      <ul className="rows">
        {entries.map(({ number, run, source, note }) => (
          <li key={number} className="row">
            <Link to="/runs/$name" params={{ name: run }} className="name">
              {run}
            </Link>
            <span className="hint">
              {[words.say(`campaign.result.source.${source}` satisfies WordKey), note.model]
                .filter((each) => each !== undefined)
                .join(', ')}
            </span>
            {note.journal !== undefined && <span>{note.journal}</span>}
            {note.fallback !== undefined && <span>{note.fallback.message}</span>}
            {note.limits_used !== undefined && note.limits_used.length > 0 && (
              <span className="hint">
                {words.say('optimizer.limits', { limits: plainText(note.limits_used) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
