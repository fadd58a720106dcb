import type { UsageRecord } from '@lab/api-client';
import {
  mayAct,
  quotaSize,
  roomTone,
  usageKinds,
  usageOf,
  type UsageKind,
  type Used,
  type Words,
} from '@lab/web-model';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Bar, Choice, Rows, State } from '../design/index.js';
import { client, readPages, useLab, usePages, usePolling } from '../lab/index.js';
import { More, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** No event tells that something was stored or deleted. */
const noEvent = (): boolean => false;

/**
 * What owners and laboratories store, beside their quotas. The service gives everybody what they may see.
 *
 * @param kind undefined: owners and laboratories
 */
export function Usage({ kind }: { kind: UsageKind | undefined }): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { me } = useLab();
  return (
    <>
      <h1>{words.say('usage.title')}</h1>
      <p className="hint">{words.say(mayAct(me, 'admin') ? 'usage.all' : 'usage.own')}</p>
      <div className="controls">
        <Choice
          label={words.say('usage.kind')}
          value={kind ?? ''}
          onChange={(value) => {
            const chosen = usageKinds.find((each) => each === value);
            void navigate({
              to: '/usage',
              search: chosen === undefined ? {} : { of: chosen },
              replace: true,
            });
          }}
        >
          <option value="">{words.say('usage.kind.all')}</option>
          {usageKinds.map((each) => (
            <option key={each} value={each}>
              {words.say(`usage.kind.${each}`)}
            </option>
          ))}
        </Choice>
      </div>
      <List kind={kind} />
      <p>
        <a href="/guide/quotas.md">{words.say('usage.guide')}</a>
      </p>
    </>
  );
}

function List({ kind }: { kind: UsageKind | undefined }): ReactNode {
  const words = useWords();
  const load = useCallback(
    (count: number, signal: AbortSignal) =>
      readPages((part) => {
        const query = { ...part, ...(kind === undefined ? {} : { kind }) };
        return client.get('/api/usage', { query, signal });
      }, count),
    [kind],
  );
  const { record, failure, readAgain, more, portion } = usePages(load, noEvent);
  usePolling(true, readAgain);
  if (record === undefined) return <Unread reason={failure} />;
  return (
    <>
      {failure !== undefined && <Unread reason={failure} />}
      {record.items.length === 0 && <p role="status">{words.say('usage.none')}</p>}
      <Rows items={record.items} keyOf={({ kind: each, name }) => `${each} ${name}`}>
        {(usage) => <Entry usage={usage} />}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}

function Entry({ usage }: { usage: UsageRecord }): ReactNode {
  const words = useWords();
  const { kind, name, files } = usage;
  const { records, bytes, state } = usageOf(usage);
  return (
    <>
      <span className="name">
        {name === '' ? (
          words.say('usage.nobody')
        ) : (
          <Link to="/work" search={{ [kind]: name }}>
            {name}
          </Link>
        )}
      </span>
      <span className="hint">{words.say(`usage.${kind}`)}</span>
      <State tone={roomTone(state)}>{words.say(`usage.state.${state}`)}</State>
      <Limit used={records} label={`${name}: ${words.say('usage.records')}`}>
        {recordsText(words, records)}
      </Limit>
      <Limit used={bytes} label={`${name}: ${words.say('usage.bytes')}`}>
        {bytesText(words, bytes, files)}
      </Limit>
    </>
  );
}

/** A limit as a bar and in words. */
function Limit({
  used: { share, state },
  label,
  children,
}: {
  used: Used;
  label: string;
  children: string;
}): ReactNode {
  return (
    <span className="limit">
      {share !== undefined && <Bar share={Math.min(1, share)} tone={roomTone(state)} label={label} />}
      <span>{children}</span>
    </span>
  );
}

const percent = (words: Words, share: number): string => words.number(Math.floor(share * 100), 0);

function recordsText(words: Words, { used, most, share }: Used): string {
  if (most === undefined || share === undefined)
    return words.say('usage.records.free', { used: words.number(used) });
  return words.say('usage.records.limited', {
    ...{ used: words.number(used), most: words.number(most), share: percent(words, share) },
  });
}

function bytesText(words: Words, { used, most, share }: Used, files: number): string {
  const size = quotaSize(words, used);
  if (most === undefined || share === undefined) return words.say('usage.bytes.free', { used: size, files });
  return words.say('usage.bytes.limited', {
    ...{ used: size, most: quotaSize(words, most), files, share: percent(words, share) },
  });
}
