import { benchPath, labelServerOf, type Labelled, type LabEvent } from '@lab/web-model';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Button } from '../design/index.js';
import { client, readPages, usePages, useShownLab, useSight } from '../lab/index.js';
import { LabChoice, More, Unread } from '../parts/index.js';
import { serviceAddress, useWords } from '../settings/index.js';
import { Code } from './code.js';

/** What a sheet of labels is of. */
export interface LabelSearch {
  /** Devices and resources of this laboratory; undefined: of all. */
  lab?: string;
  /** One device of the laboratory alone. */
  device?: string;
  /** One resource alone. */
  resource?: string;
}

/** Labels to print, for everything or for one device or resource. The code of each leads to its page at the bench. */
export function Labels({ lab: chosen, device, resource }: LabelSearch): ReactNode {
  const words = useWords();
  const lab = useShownLab(chosen);
  const navigate = useNavigate();
  const one: Labelled | undefined =
    resource !== undefined
      ? { kind: 'resource', name: resource }
      : device !== undefined && chosen !== undefined
        ? { kind: 'device', lab: chosen, name: device }
        : undefined;
  const { address, isLocal } = labelServerOf(serviceAddress, location.origin);
  return (
    <>
      <h1 className="unprinted">{words.say('labels.title')}</h1>
      <p className="unprinted hint">{words.say('labels.hint')}</p>
      {isLocal ? (
        <p className="unprinted headline tone-warning">{words.say('labels.local', { address })}</p>
      ) : (
        <p className="unprinted hint">{words.say('labels.address', { address })}</p>
      )}
      <div className="controls unprinted">
        {one === undefined ? (
          <LabChoice
            lab={lab}
            onChange={(value) =>
              void navigate({ to: '/labels', search: value === undefined ? {} : { lab: value } })
            }
          />
        ) : (
          <Link to="/labels" className="button">
            {words.say('labels.all')}
          </Link>
        )}
        <Button look="main" onClick={() => window.print()}>
          {words.say('labels.print')}
        </Button>
      </div>
      {one === undefined ? (
        <AllLabels lab={lab} server={address} />
      ) : (
        <Sheet things={[one]} server={address} />
      )}
    </>
  );
}

const concernsNames = ({ type }: LabEvent): boolean => type === 'lab.loaded' || type === 'lab.unloaded';

function AllLabels({ lab, server }: { lab: string | undefined; server: string }): ReactNode {
  const { devices } = useSight().records;
  const load = useCallback(
    (count: number, signal: AbortSignal) =>
      readPages(
        (part) =>
          client.get('/api/resources', { query: { ...(lab === undefined ? {} : { lab }), ...part }, signal }),
        count,
      ),
    [lab],
  );
  const { record, failure, more, portion } = usePages(load, concernsNames);
  const things: Labelled[] = [
    ...devices
      .filter(({ lab_name: own }) => lab === undefined || own === lab)
      .map(({ lab_name: own, name }): Labelled => ({ kind: 'device', lab: own, name })),
    ...(record?.items ?? []).map(({ name }): Labelled => ({ kind: 'resource', name })),
  ];
  return (
    <>
      {(record === undefined || failure !== undefined) && <Unread reason={failure} />}
      <Sheet things={things} server={server} />
      {record !== undefined && (
        <div className="unprinted">
          <More page={record} onMore={more} portion={portion} />
        </div>
      )}
    </>
  );
}

function Sheet({ things, server }: { things: readonly Labelled[]; server: string }): ReactNode {
  const words = useWords();
  return (
    <ul className="labels" aria-label={words.say('labels.sheet')}>
      {things.map((thing) => {
        const address = `${server}${benchPath(thing)}`;
        return (
          <li key={address} className="label">
            <Code text={address} />
            <div>
              <p className="name">{thing.name}</p>
              <p>
                {thing.kind === 'device'
                  ? words.say('labels.device', { lab: thing.lab })
                  : words.say('labels.resource')}
              </p>
              <p className="label-address">{address}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
