import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Rows } from '../design/index.js';
import { useShownLab } from '../lab/index.js';
import { LabChoice, More, pairs, SearchField, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Holder, ResourceState } from './resource-facts.js';
import { useResources } from './use-resources.js';

/** Every resource by name, who has it, and its data. @param lab undefined: of all laboratories */
export function Resources({ lab: chosen }: { lab: string | undefined }): ReactNode {
  const words = useWords();
  const lab = useShownLab(chosen);
  const navigate = useNavigate();
  const [text, setText] = useState('');
  return (
    <>
      <h1>{words.say('resources.title')}</h1>
      <div className="controls">
        <LabChoice
          lab={lab}
          onChange={(value) =>
            void navigate({ to: '/resources', search: value === undefined ? {} : { lab: value } })
          }
        />
        <SearchField label={words.say('resources.find')} value={text} onChange={setText} />
      </div>
      <List lab={lab} text={text.trim()} />
    </>
  );
}

function List({ lab, text }: { lab: string | undefined; text: string }): ReactNode {
  const words = useWords();
  const { record, failure, more, portion } = useResources(lab, text);
  if (record === undefined) return <Unread reason={failure} />;
  return (
    <>
      {failure !== undefined && <Unread reason={failure} />}
      {record.items.length === 0 && <p role="status">{words.say('resources.none')}</p>}
      <Rows items={record.items} keyOf={({ name }) => name}>
        {(resource) => (
          <>
            <Link to="/resources/$name" params={{ name: resource.name }} className="name">
              {resource.name}
            </Link>
            <ResourceState resource={resource} />
            <span className="hint">
              {words.say('resources.of', { type: resource.type, lab: resource.lab })}
            </span>
            <Holder resource={resource} />
            <span className="hint">{pairs(resource.meta)}</span>
          </>
        )}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}

/** Tasks and runs take and leave resources, of which no event of the resource tells. */
