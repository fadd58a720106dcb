import type { QueueRecord } from '@lab/api-client';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Pauses or resumes the queue of the whole service. It says first what follows. */
export function PauseQueue({ queue, onDone }: { queue: QueueRecord; onDone(): void }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const [asked, setAsked] = useState<'pause' | 'resume'>();
  const act = queue.paused ? 'resume' : 'pause';
  return (
    <>
      <Button disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsked(act)}>
        {words.say(`queue.${act}`)}
      </Button>
      {asked !== undefined && (
        <Confirm
          act={asked}
          queue={queue}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            onDone();
            setAsked(undefined);
          }}
        />
      )}
    </>
  );
}

function Confirm({
  act,
  queue: { running, waiting, queued: ready },
  onClose,
  onDone,
}: {
  act: 'pause' | 'resume';
  queue: QueueRecord;
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const [failure, setFailure] = useState<string>();
  const send = async (): Promise<void> => {
    try {
      await client.post(`/api/queue/${act}`);
      live.readAgain(['queue']);
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say(`queue.${act}.title`)}>
      <p>{words.say(`queue.${act}.effect`, { running, waiting, ready })}</p>
      <Failure>{failure}</Failure>
      <div className="buttons">
        <Button look="main" onClick={() => void send()}>
          {words.say(`queue.${act}`)}
        </Button>
        <Button data-first onClick={onClose}>
          {words.say('stop.cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
