import type { DeviceRecord } from '@lab/api-client';
import { mayAct } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, TextField } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';

type Subject = Pick<DeviceRecord, 'lab_name' | 'name' | 'out_of_service'>;

/** Takes a device out of service, or puts it back. */
export function Service({
  device,
  className = '',
  onDone,
}: {
  device: Subject;
  className?: string;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const { lab_name: lab, name, out_of_service: outage } = device;
  if (!mayAct(me, 'operator', lab)) return null;
  return (
    <>
      <Button
        className={className}
        disabled={!mayChange}
        aria-haspopup="dialog"
        onClick={() => setAsks(true)}
      >
        {words.say(outage === null ? 'devices.take_out' : 'devices.put_back')}
        <span className="hidden"> {name}</span>
      </Button>
      {asks && (
        <Change
          device={device}
          onClose={() => setAsks(false)}
          onDone={() => {
            onDone();
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
  device: Subject;
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
