import type { AttentionRecord, EffectRecord } from '@lab/api-client';
import {
  callsOf,
  callText,
  fieldsOf,
  momentOf,
  type Field,
  type KnownCall,
  type LabEvent,
} from '@lab/web-model';
import { useCallback, useMemo, type ReactNode } from 'react';
import { Section } from '../design/index.js';
import { client, useRecord, useSight } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** How many calls of a device are read to find those that the item names. */
const mostEffects = 100;

/** What the devices of the item did last, in sentences: the last call that ended, and the calls in doubt. */
export function LastCalls({ item }: { item: AttentionRecord }): ReactNode {
  const words = useWords();
  const calls = useMemo(() => callsOf(item), [item]);
  if (calls === undefined) return null;
  const all = [...(calls.last === undefined ? [] : [calls.last]), ...calls.inDoubt];
  return (
    <Section title={words.say('calls.title')}>
      {all.length === 0 ? (
        <p>{words.say('calls.none')}</p>
      ) : (
        [...new Set(all.map(({ device }) => device))].map((device) => (
          <CallsOf
            key={device}
            item={item}
            device={device}
            last={calls.last?.device === device ? calls.last : undefined}
            inDoubt={calls.inDoubt.filter((call) => call.device === device)}
          />
        ))
      )}
    </Section>
  );
}

interface CallsProps {
  item: AttentionRecord;
  /** `<lab>.<device>`. */
  device: string;
  last: KnownCall | undefined;
  inDoubt: readonly KnownCall[];
}

function CallsOf({ item, device, last, inDoubt }: CallsProps): ReactNode {
  const [lab = '', name = ''] = device.split('.');
  const load = useCallback(
    async (signal: AbortSignal) => {
      const path = { lab_id: lab, device_id: name };
      const [effects, detail] = await Promise.all([
        client.get('/api/effects', { query: { lab, device: name, limit: mostEffects }, signal }),
        // Without the declarations of an unloaded laboratory the arguments have no units.
        client.get('/api/labs/{lab_id}/devices/{device_id}', { path, signal }).catch(() => undefined),
      ]);
      return { effects: effects.items, functions: detail?.functions ?? [] };
    },
    [lab, name],
  );
  // The agent may store the end of a call after the question was asked.
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      (type.startsWith('attention.') && body['id'] === item.id) ||
      (type.startsWith('device.') && body['lab'] === lab && body['name'] === name),
    [item.id, lab, name],
  );
  const { record, failure } = useRecord(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  const told = (call: KnownCall): Told => ({
    ...{ item, call },
    effect: record.effects.find(({ id }) => id === call.id),
    fields: fieldsOf(record.functions.find((each) => each.name === call.function)?.parameters) ?? [],
  });
  return (
    <>
      {last !== undefined && <Last {...told(last)} />}
      {inDoubt.map((call) => (
        <InDoubt key={call.id} {...told(call)} />
      ))}
    </>
  );
}

interface Told {
  item: AttentionRecord;
  call: KnownCall;
  effect: EffectRecord | undefined;
  fields: readonly Field[];
}

function Last(told: Told): ReactNode {
  const words = useWords();
  const { call, effect } = told;
  const when = useWhen(told, effect?.ended_at);
  const about = { call: callText(call, effect, told.fields), device: call.device };
  if (when === undefined || effect === undefined) return <p>{words.say('calls.last', about)}</p>;
  if (effect.error === null) return <p>{words.say('calls.done', { ...about, ...when })}</p>;
  return <p>{words.say('calls.failed', { ...about, ...when, error: effect.error.message })}</p>;
}

function InDoubt(told: Told): ReactNode {
  const words = useWords();
  const { call, effect } = told;
  const when = useWhen(told, effect?.began_at);
  const about = { call: callText(call, effect, told.fields), device: call.device };
  return (
    <p className="tone-alarm">
      <strong>
        {when === undefined
          ? words.say('calls.doubt', about)
          : words.say('calls.doubt.since', { ...about, ...when })}
      </strong>
    </p>
  );
}

/** How long before the moment in question something was; undefined: it is not known. */
function useWhen(
  { item, call }: Told,
  at: string | null | undefined,
): { age: string; moment: string } | undefined {
  const words = useWords();
  const { stops } = useSight().records;
  if (at === null || at === undefined) return undefined;
  const moment = momentOf(item, call.device, stops);
  return { age: words.age(Math.max(0, moment.at - Date.parse(at))), moment: moment.what };
}
