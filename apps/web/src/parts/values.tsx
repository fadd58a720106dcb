import { plainText } from '@lab/web-model';
import type { ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** What a declaration says about a parameter, as far as a table shows it. */
export interface Declared {
  unit?: string;
  desc?: string;
}

/** Values by name, as a table with their units. */
export function Values({
  label,
  values,
  declared = {},
}: {
  label: string;
  values: Readonly<Record<string, unknown>>;
  declared?: Readonly<Record<string, Declared>>;
}): ReactNode {
  const words = useWords();
  const names = Object.keys(values);
  if (names.length === 0) return <p className="hint">{words.say('task.none')}</p>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.say('value.name')}</th>
            <th scope="col">{words.say('value.value')}</th>
            <th scope="col">{words.say('value.declared')}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const { unit, desc } = declared[name] ?? {};
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  {plainText(values[name])}
                  {unit !== undefined && unit !== 'n/a' && <span className="hint"> {unit}</span>}
                </td>
                <td className="hint">{desc ?? ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
