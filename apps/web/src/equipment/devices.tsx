import type { AgentRecord, DeviceRecord } from '@lab/api-client';
import { agentTone } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { useLab, useNow, useSight } from '../lab/index.js';
import { Cut } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { DeviceState, factsOf } from './device-facts.js';
import { Service } from './service.js';

/** Every device by laboratory, and every computer. */
export function Devices(): ReactNode {
  const words = useWords();
  const { devices, agents } = useSight().records;
  const labs = [...new Set(devices.map(({ lab_name: lab }) => lab))].sort();
  return (
    <>
      <h1>{words.say('nav.devices')}</h1>
      <div className="columns">
        {labs.map((lab) => (
          <Section key={lab} title={lab}>
            <Rows items={devices.filter(({ lab_name: own }) => own === lab)} keyOf={({ name }) => name}>
              {(device) => <DeviceRow device={device} />}
            </Rows>
          </Section>
        ))}
        <Section title={words.say('devices.computers')}>
          <Rows items={agents} keyOf={({ computer }) => computer}>
            {(agent) => <Agent agent={agent} />}
          </Rows>
          <p>
            <Link to="/computers">{words.say('computers.more')}</Link>
          </p>
        </Section>
      </div>
      <Cut lists={['devices']} />
    </>
  );
}

function DeviceRow({ device }: { device: DeviceRecord }): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const now = useNow();
  const { name, type, computer, held_by: task } = device;
  return (
    <>
      <Link to="/devices/$lab/$name" params={{ lab: device.lab_name, name }} className="name">
        {name}
      </Link>
      <DeviceState device={device} />
      <span className="hint">{words.say('devices.of', { type, computer })}</span>
      {task !== null && <span>{words.say('device.held', { task })}</span>}
      {factsOf(words, device, now).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      <Service device={device} className="end" onDone={() => live.readAgain(['devices'])} />
    </>
  );
}

function Agent({ agent }: { agent: AgentRecord }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { computer, state, version, reason, last_heard_at: heard, drain, devices } = agent;
  return (
    <>
      <Link to="/computers/$computer" params={{ computer }} className="name">
        {computer}
      </Link>
      <State tone={agentTone(agent)}>{words.state(state)}</State>
      <span className="hint">
        {words.say('devices.agent', { version: version ?? '?', count: devices.length })}
      </span>
      {heard !== null && state !== 'online' && (
        <span>{words.say('devices.heard', { age: words.age(now - Date.parse(heard)) })}</span>
      )}
      {drain !== null && <span>{words.say('devices.drained', { by: drain.by, reason: drain.reason })}</span>}
      {reason !== null && <span className="hint">{reason}</span>}
    </>
  );
}
