import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Rows, Section } from '../design/index.js';
import { DeviceState } from '../equipment/index.js';
import { useShownLab, useSight } from '../lab/index.js';
import { LabChoice, More, SearchField, Unread } from '../parts/index.js';
import { ResourceState, useResources } from '../resources/index.js';
import { useWords } from '../settings/index.js';

/** Every device and resource, for a person who stands before one and has no code to scan. @param lab undefined: of all */
export function Bench({ lab: chosen }: { lab: string | undefined }): ReactNode {
  const words = useWords();
  const lab = useShownLab(chosen);
  const navigate = useNavigate();
  const [text, setText] = useState('');
  return (
    <div className="bench">
      <h1>{words.say('bench.title')}</h1>
      <p className="hint">{words.say('bench.hint')}</p>
      <SearchField label={words.say('bench.find')} value={text} onChange={setText} />
      <LabChoice
        lab={lab}
        onChange={(value) =>
          void navigate({ to: '/bench', search: value === undefined ? {} : { lab: value } })
        }
      />
      <Section title={words.say('bench.devices')}>
        <DeviceList lab={lab} text={text.trim()} />
      </Section>
      <Section title={words.say('bench.resources')}>
        <ResourceList lab={lab} text={text.trim()} />
      </Section>
    </div>
  );
}

interface Wanted {
  lab: string | undefined;
  /** Part of the name. */
  text: string;
}

function DeviceList({ lab, text }: Wanted): ReactNode {
  const words = useWords();
  const { devices } = useSight().records;
  const found = devices.filter(
    ({ lab_name: own, name }) =>
      (lab === undefined || own === lab) && name.toLowerCase().includes(text.toLowerCase()),
  );
  if (found.length === 0) return <p className="hint">{words.say('bench.none')}</p>;
  return (
    <Rows items={found} keyOf={({ lab_name: lab, name }) => `${lab}.${name}`} rowClass="">
      {(device) => (
        <Link
          to="/bench/devices/$lab/$name"
          params={{ lab: device.lab_name, name: device.name }}
          className="bench-link"
        >
          {device.name}
          <DeviceState device={device} />
        </Link>
      )}
    </Rows>
  );
}

function ResourceList({ lab, text }: Wanted): ReactNode {
  const words = useWords();
  const { record, failure, more, portion } = useResources(lab, text);
  if (record === undefined) return <Unread reason={failure} />;
  if (record.items.length === 0) return <p className="hint">{words.say('bench.none')}</p>;
  return (
    <>
      <Rows items={record.items} keyOf={({ name }) => name} rowClass="">
        {(resource) => (
          <Link to="/bench/resources/$name" params={{ name: resource.name }} className="bench-link">
            {resource.name}
            <ResourceState resource={resource} />
          </Link>
        )}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}
