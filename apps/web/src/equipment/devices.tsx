import type { AgentRecord, DeviceRecord } from '@lab/api-client';
import { agentTone, deviceTone, mayAct } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, Section, State, TextField } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct, useNow, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

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
                  <Device key={device.name} device={device} />
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

function Device({ device }: { device: DeviceRecord }): ReactNode {
  const words = useWords();
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
      <span className="name">{name}</span>
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
      <Service device={device} />
    </li>
  );
}

/** Takes a device out of service, or puts it back. */
function Service({ device }: { device: DeviceRecord }): ReactNode {
  const words = useWords();
  const { me, live } = useLab();
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const { lab_name: lab, name, out_of_service: outage } = device;
  if (!mayAct(me, 'operator', lab)) return null;
  return (
    <>
      <Button className="end" disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsks(true)}>
        {words.say(outage === null ? 'devices.take_out' : 'devices.put_back')}
        <span className="hidden"> {name}</span>
      </Button>
      {asks && (
        <Change
          device={device}
          onClose={() => setAsks(false)}
          onDone={() => {
            live.readAgain(['devices']);
            setAsks(false);
          }}
        />
      )}
    </>
  );
}

function Change({
  device: { lab_name: lab_id, name: device_id, out_of_service: outage },
  onClose,
  onDone,
}: {
  device: DeviceRecord;
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const [isOut] = useState(outage !== null);
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<string>();
  const change = async (): Promise<void> => {
    const path = { lab_id, device_id };
    try {
      if (isOut) await client.post('/api/labs/{lab_id}/devices/{device_id}/enable', { path });
      else
        await client.post('/api/labs/{lab_id}/devices/{device_id}/disable', {
          path,
          body: { reason: reason.trim() },
        });
      onDone();
    } catch (error) {
      setFailure(words.say('devices.failed', { reason: reasonOf(error) }));
    }
  };
  const title = words.say(isOut ? 'devices.put_back.title' : 'devices.take_out.title', { device: device_id });
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <p>{words.say(isOut ? 'devices.put_back.effect' : 'devices.take_out.effect')}</p>
        {!isOut && (
          <TextField
            label={words.say('stop.reason')}
            hint={words.say('devices.reason.hint')}
            data-first
            required
            value={reason}
            maxLength={2_000}
            onChange={setReason}
          />
        )}
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main">
            {words.say(isOut ? 'devices.put_back' : 'devices.take_out')}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
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
