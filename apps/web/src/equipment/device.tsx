import type { DeviceDetail } from '@lab/api-client';
import { deviceTone, mayAct, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import { Button, Failure, Section } from '../design/index.js';
import { client, reasonOf, useLab, useNow, useRecord } from '../lab/index.js';
import { Effects, LogTail, Unread, Values } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { EmergencyStop } from '../stop/index.js';
import { DeviceState, factsOf } from './device-facts.js';
import { DeviceFiles } from './device-files.js';
import { Functions } from './functions.js';
import { Service } from './service.js';

/** How many calls are shown, the newest first. */
const mostEffects = 20;
/** How many files are shown, the newest first. */
const mostFiles = 20;

/** One device: what it is doing, what it did, and its functions. */
export function Device({ lab, name }: { lab: string; name: string }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const path = { lab_id: lab, device_id: name };
      const [device, effects, files] = await Promise.all([
        client.get('/api/labs/{lab_id}/devices/{device_id}', { path, signal }),
        client.get('/api/effects', { query: { lab, device: name, limit: mostEffects }, signal }),
        client.get('/api/device-files', { query: { lab, device: name, limit: mostFiles }, signal }),
      ]);
      return { device, effects: effects.items, files: files.items };
    },
    [lab, name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('halt') ||
      (type.startsWith('device.') && body['lab'] === lab && body['name'] === name) ||
      (type.startsWith('device_file.') && body['lab'] === lab && body['device'] === name),
    [lab, name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  const { device, effects, files } = record;
  return (
    <>
      <h1>{words.say('device.title', { device: `${lab}.${name}` })}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <Head device={device} />
      <div className="buttons">
        <EmergencyStop device={{ lab, name }} />
        <Service device={device} onDone={readAgain} />
        <Link to="/bench/devices/$lab/$name" params={{ lab, name }} className="button">
          {words.say('bench.open')}
        </Link>
        <Link to="/labels" search={{ lab, device: name }} className="button">
          {words.say('label.open')}
        </Link>
      </div>
      <div className="columns">
        <div>
          {mayAct(me, 'operator', lab) ? (
            <Functions device={device} onDone={readAgain} />
          ) : (
            <p>{words.say('device.may_not')}</p>
          )}
        </div>
        <div>
          <Report lab={lab} name={name} />
          <Section title={words.say('device.log')}>
            <LogTail task={null} protocol_run={null} device={`${lab}.${name}`} />
          </Section>
          {files.length > 0 && (
            <Section title={words.say('device.files')}>
              <DeviceFiles files={files} />
            </Section>
          )}
          <Section title={words.say('device.history')}>
            <Effects effects={effects} nameOf={(effect) => effect.function} />
          </Section>
        </div>
      </div>
    </>
  );
}

function Head({ device }: { device: DeviceDetail }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { type, computer, held_by: task, doubt } = device;
  return (
    <div className={`headline tone-${deviceTone(device)}`}>
      <p>
        <DeviceState device={device} /> {words.say('devices.of', { type, computer })}
        {task !== null && `, ${words.say('device.held', { task })}`}
      </p>
      {factsOf(words, device, now).map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      {doubt?.in_doubt.map(({ call_id: id, function: called }) => (
        <p key={id} className="loud">
          {words.say('device.doubt', { name: called })}
        </p>
      ))}
    </div>
  );
}

/** What the device says of itself. It is asked only when a person asks, because it may be slow. */
function Report({ lab, name }: { lab: string; name: string }): ReactNode {
  const words = useWords();
  const [report, setReport] = useState<Readonly<Record<string, unknown>>>();
  const [failure, setFailure] = useState<string>();
  const read = async (): Promise<void> => {
    setFailure(undefined);
    try {
      const path = { lab_id: lab, device_id: name };
      const query = { report: true };
      const device = await client.get('/api/labs/{lab_id}/devices/{device_id}', { path, query });
      setReport(device.report ?? {});
    } catch (error) {
      setFailure(reasonOf(error));
    }
  };
  return (
    <Section title={words.say('device.report.title')}>
      <div className="buttons">
        <Button onClick={() => void read()}>{words.say('device.report')}</Button>
      </div>
      <Failure>{failure}</Failure>
      {report !== undefined && <Values label={words.say('device.report.title')} values={report} />}
    </Section>
  );
}
