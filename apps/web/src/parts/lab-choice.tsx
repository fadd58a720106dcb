import type { ReactNode } from 'react';
import { Choice } from '../design/index.js';
import { labsSeen } from '@lab/web-model';
import { useLab, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** A choice among the laboratories that have devices, or all for a person who sees all. @param lab undefined: all */
export function LabChoice({
  lab,
  onChange,
}: {
  lab: string | undefined;
  onChange(lab: string | undefined): void;
}): ReactNode {
  const words = useWords();
  const { devices } = useSight().records;
  const { me } = useLab();
  const names = devices.map(({ lab_name: each }) => each);
  const labs = [...new Set(lab === undefined ? names : [...names, lab])].sort();
  return (
    <Choice
      label={words.say('lab.choice')}
      value={lab ?? ''}
      onChange={(value) => onChange(value === '' ? undefined : value)}
    >
      {labsSeen(me) === undefined && <option value="">{words.say('lab.all')}</option>}
      {labs.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </Choice>
  );
}
