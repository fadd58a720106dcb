import type { ResourceRecord } from '@lab/api-client';
import { labsSeen, type Slot } from '@lab/web-model';
import { useEffect, useState, type ReactNode } from 'react';
import { Choice } from '../design/index.js';
import { client, readSeen, useLab, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** The devices that fit a slot, as `<lab>.<device>`. */
export function useDeviceNames(type: string): string[] {
  return useSight()
    .records.devices.filter((device) => device.type === type)
    .map(({ lab_name: lab, name }) => `${lab}.${name}`);
}

/** Chooses a device for a slot of a task. */
export function DeviceChoice({ slot, value, onChange }: SlotProps): ReactNode {
  const words = useWords();
  const label = words.say('submit.device', { slot: slot.name });
  return (
    <UnitChoice
      label={label}
      slot={slot}
      names={useDeviceNames(slot.type)}
      value={value}
      onChange={onChange}
    />
  );
}

/** Chooses a resource for a slot of a task. */
export function ResourceChoice({ slot, value, onChange }: SlotProps): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const [resources, setResources] = useState<readonly ResourceRecord[]>([]);
  useEffect(() => {
    const end = new AbortController();
    // The dry run tells what is wrong when the list cannot be read.
    readSeen(
      labsSeen(me),
      (lab) => client.all('/api/resources', { query: { ...lab, limit: 500 }, signal: end.signal }),
      ({ name }) => name,
    ).then(setResources, () => undefined);
    return () => end.abort();
  }, [me]);
  const names = resources.filter(({ type }) => type === slot.type).map(({ name }) => name);
  const label = words.say('submit.resource', { slot: slot.name });
  return <UnitChoice label={label} slot={slot} names={names} value={value} onChange={onChange} />;
}

interface SlotProps {
  slot: Slot;
  value: string;
  onChange(name: string): void;
}

function UnitChoice({
  label,
  slot,
  names,
  value,
  onChange,
}: SlotProps & { label: string; names: readonly string[] }): ReactNode {
  const words = useWords();
  return (
    <>
      <Choice label={label} value={value} onChange={onChange}>
        <option value="">{words.say('submit.unit.choose')}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Choice>
      {names.length === 0 && <p className="hint">{words.say('submit.unit.none', { type: slot.type })}</p>}
    </>
  );
}
