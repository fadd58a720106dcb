import type { AgentRecord, DeviceRecord } from '@lab/api-client';
import { agentTone, deviceTone } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { useLab, useNow, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';
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
            <ul className="rows">
              {devices
                .filter(({ lab_name: own }) => own === lab)
                .map((device) => (
                  <DeviceRow key={device.name} device={device} />
                ))}
            </ul>
          </Section>
        ))}
        <Section title={words.say('devices.computers')}>
          <ul className="rows">
            {agents.map((agent) => (
              <Agent key={agent.computer} agent={agent} />
            ))}
          </ul>
        </Section>
      </div>
    </>
  );
}

function DeviceRow({ device }: { device: DeviceRecord }): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const now = useNow();
  const {
    name,
    type,
    computer,
    state,
    halted,
    out_of_service: outage,
    held_by: task,
    doing,
    detail,
  } = device;
  return (
    <li className="row">
      <Link to="/devices/$lab/$name" params={{ lab: device.lab_name, name }} className="name">
        {name}
      </Link>
      <State tone={deviceTone(device)}>
        {halted === null ? words.state(outage === null ? state : 'disabled') : words.say('device.halted')}
      </State>
      <span className="hint">{words.say('devices.of', { type, computer })}</span>
      {task !== null && <span>{words.say('device.held', { task })}</span>}
      {doing !== null && (
        <span>
          {words.say('devices.doing', {
            name: doing.function,
            age: words.age(now - Date.parse(doing.since)),
          })}
        </span>
      )}
      {halted !== null && <span>{halted}</span>}
      {outage !== null && <span>{words.say('device.out', { reason: outage.reason, by: outage.by })}</span>}
      {detail !== null && detail !== halted && <span className="hint">{detail}</span>}
      <Service device={device} className="end" onDone={() => live.readAgain(['devices'])} />
    </li>
  );
}

function Agent({ agent }: { agent: AgentRecord }): ReactNode {
  const words = useWords();
  const now = useNow();
  const { computer, state, version, reason, last_heard_at: heard, drain, devices } = agent;
  return (
    <li className="row">
      <span className="name">{computer}</span>
      <State tone={agentTone(agent)}>{words.state(state)}</State>
      <span className="hint">
        {words.say('devices.agent', { version: version ?? '?', count: devices.length })}
      </span>
      {heard !== null && state !== 'online' && (
        <span>{words.say('devices.heard', { age: words.age(now - Date.parse(heard)) })}</span>
      )}
      {drain !== null && <span>{words.say('devices.drained', { by: drain.by, reason: drain.reason })}</span>}
      {reason !== null && <span className="hint">{reason}</span>}
    </li>
  );
}
