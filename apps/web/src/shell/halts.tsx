import type { EmergencyStopRecord } from '@lab/api-client';
import { mayAct, stopScopeOf } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct, useNow, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { useScopeText } from '../stop/index.js';

/** Everything that stands still because a person stopped it, on every page. */
export function Halts(): ReactNode {
  const words = useWords();
  const { stops, queue } = useSight().records;
  return (
    <div
      className="halts"
      role="region"
      aria-label={words.say('stop.title')}
      hidden={stops.length === 0 && queue?.paused !== true}
    >
      {stops.map((stop) => (
        <Halt key={stop.id} stop={stop} />
      ))}
      {queue?.paused === true && <Pause by={queue.paused_by ?? '?'} />}
    </div>
  );
}

function Pause({ by }: { by: string }): ReactNode {
  const words = useWords();
  const { me, live } = useLab();
  const mayChange = useMayAct();
  const [failure, setFailure] = useState<string>();
  const resume = async (): Promise<void> => {
    try {
      await client.post('/api/queue/resume');
      live.readAgain(['queue']);
    } catch (error) {
      setFailure(reasonOf(error));
    }
  };
  return (
    <div className="halt look-warning">
      <strong>{words.say('queue.paused', { by })}</strong>
      <Failure>{failure}</Failure>
      {mayAct(me, 'operator') && (
        <Button disabled={!mayChange} onClick={() => void resume()}>
          {words.say('queue.resume')}
        </Button>
      )}
    </div>
  );
}

function Halt({ stop }: { stop: EmergencyStopRecord }): ReactNode {
  const words = useWords();
  const scopeText = useScopeText();
  const now = useNow(60_000);
  const { me } = useLab();
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const scope = stopScopeOf(stop.scope);
  const { by, reason } = stop;
  const time = words.time(Date.parse(stop.engaged_at), now);
  return (
    <div className="halt look-danger">
      <span>
        <strong>{words.say('halt.banner', { scope: scopeText(scope) })}</strong>{' '}
        <span className="hint">
          {reason === ''
            ? words.say('halt.by.no_reason', { by, time })
            : words.say('halt.by', { by, time, reason })}
        </span>
      </span>
      {mayAct(me, 'operator') && (
        <Button disabled={!mayChange} onClick={() => setAsks(true)} aria-haspopup="dialog">
          {words.say('halt.release')}
        </Button>
      )}
      {asks && <Release id={stop.id} onClose={() => setAsks(false)} />}
    </div>
  );
}

function Release({ id, onClose }: { id: string; onClose(): void }): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const [failure, setFailure] = useState<string>();
  const release = async (): Promise<void> => {
    try {
      await client.post('/api/estop/release', { body: { id } });
      live.readAgain(['stops', 'devices']);
      onClose();
    } catch (error) {
      setFailure(reasonOf(error));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('halt.release.title')}>
      <p>{words.say('halt.release.effect')}</p>
      <Failure>{failure}</Failure>
      <div className="buttons">
        <Button look="main" data-first onClick={() => void release()}>
          {words.say('halt.release.do')}
        </Button>
        <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
      </div>
    </Dialog>
  );
}
