import type { EffectRecord } from '@lab/api-client';
import { plainText, workTone } from '@lab/web-model';
import type { ReactNode } from 'react';
import { State } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/**
 * Calls that may have changed a device, as they are listed.
 *
 * @param nameOf what tells a call from the others here
 */
export function Effects({
  effects,
  nameOf,
}: {
  effects: readonly EffectRecord[];
  nameOf(effect: EffectRecord): string;
}): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  if (effects.length === 0) return <p className="hint">{words.say('task.none')}</p>;
  return (
    <ul className="rows">
      {effects.map((effect) => (
        <li key={effect.id} className="row">
          <span className="name">{nameOf(effect)}</span>
          <State tone={workTone(effect.state)}>{words.state(effect.state)}</State>
          <span className="hint">{words.time(Date.parse(effect.began_at), now)}</span>
          <span className="hint">{pairs(effect.arguments)}</span>
          <span className="hint">
            {words.say('device.by.task', { task: effect.person ?? effect.task ?? '?' })}
          </span>
          {effect.error !== null && <span>{effect.error.message}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Values by name, in one line. */
export const pairs = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${plainText(value)}`)
    .join(', ');
