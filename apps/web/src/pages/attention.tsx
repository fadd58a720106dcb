import type { AttentionRecord } from '@lab/api-client';
import { isWarning, labsSeen, mayActOn, situationOf } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { useLab, useNow, useSight } from '../lab/index.js';
import { Cut, LogTail } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Deciding } from './claim.js';
import { Decision } from './decision.js';
import { LastCalls } from './last-calls.js';

/** Every open question and warning, oldest first. */
export function AttentionList(): ReactNode {
  const words = useWords();
  const { records, isComplete } = useSight();
  const { questions, warnings } = useMemo(() => situationOf(records), [records]);
  return (
    <>
      <h1>{words.say('attention.title')}</h1>
      {isComplete && questions.length + warnings.length === 0 && <p>{words.say('attention.none')}</p>}
      <Rows items={[...questions, ...warnings]} keyOf={({ id }) => id}>
        {(item) => <Item item={item} />}
      </Rows>
      <Cut lists={['attention']} />
    </>
  );
}

function Item({ item }: { item: AttentionRecord }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  return (
    <>
      <State tone={isWarning(item) ? 'warning' : 'alarm'}>
        {words.say(isWarning(item) ? 'attention.warning' : 'attention.question')}
      </State>
      <Link to="/attention/$id" params={{ id: item.id }} className="name">
        {item.subject}
      </Link>
      <span>{item.reason.message}</span>
      <Deciding item={item} />
      <span className="hint">
        {words.say('attention.since', { age: words.age(now - Date.parse(item.opened_at)) })}
      </span>
    </>
  );
}

/** One item: what is known, and each decision with what it leads to. */
export function AttentionItem({ id }: { id: string }): ReactNode {
  const words = useWords();
  const { records, isComplete } = useSight();
  const item = records.attention.find((each) => each.id === id);
  return (
    <>
      <p>
        <Link to="/attention">{words.say('attention.back')}</Link>
      </p>
      {item !== undefined && <Details key={item.id} item={item} />}
      {item === undefined && <p role="status">{words.say(isComplete ? 'attention.gone' : 'now.reading')}</p>}
    </>
  );
}

function Details({ item }: { item: AttentionRecord }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { me } = useLab();
  const lab = item.device?.split('.')[0];
  // A person sees an item only if all of its laboratories are theirs.
  const labs = lab === undefined ? (labsSeen(me) ?? []) : [lab];
  return (
    <>
      <h1>{item.subject}</h1>
      <p className="headline tone-alarm">{item.reason.message}</p>
      <p className="hint">
        {words.say('attention.since', { age: words.age(now - Date.parse(item.opened_at)) })}
      </p>
      <div className="columns">
        <div>
          <LastCalls item={item} />
          {item.look_at.length > 0 && (
            <Section title={words.say('attention.look')}>
              <ol className="look">
                {item.look_at.map((place) => (
                  <li key={place}>{place}</li>
                ))}
              </ol>
            </Section>
          )}
          {item.actions.length > 0 && (
            <Section title={words.say('attention.decide')}>
              {mayActOn(me, 'operator', labs) ? (
                <Decision item={item} />
              ) : (
                <>
                  <Deciding item={item} />
                  <p>{words.say('attention.may_not')}</p>
                </>
              )}
            </Section>
          )}
        </div>
        <div>
          <Section title={words.say('attention.known')}>
            <Known value={item.known} />
          </Section>
          {(item.task !== null || item.device !== null) && (
            <Section title={words.say('attention.log')}>
              <LogTail task={item.task} protocol_run={item.protocol_run} device={item.device} />
            </Section>
          )}
        </div>
      </div>
    </>
  );
}

/** A value of any form, as a list of names and values. Texts of the laboratory are shown as text and nothing else. */
function Known({ value }: { value: unknown }): ReactNode {
  const words = useWords();
  if (value === null) return <span className="hint">{words.say('attention.unknown')}</span>;
  if (typeof value !== 'object') return <span>{String(value)}</span>;
  const entries = Array.isArray(value)
    ? value.map((each, index) => [String(index + 1), each])
    : Object.entries(value);
  if (entries.length === 0) return <span className="hint">{words.say('attention.nothing')}</span>;
  return (
    <dl className="known">
      {(entries as [string, unknown][]).map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Known value={each} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
