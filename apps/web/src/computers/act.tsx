import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, TextField } from '../design/index.js';
import { reasonOf, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Longest reason that every route takes, in characters. */
const longestReason = 200;

/**
 * A button for an act about a computer. A dialog says what follows before it is done.
 *
 * @param about what tells this button from others of the same name; read aloud only
 * @param reason whether the person gives one; absent: there is none to give
 * @param send does the act
 */
export function Act({
  label,
  about,
  title,
  effect,
  reason: demanded,
  look = 'plain',
  className = '',
  send,
  onDone,
}: {
  label: string;
  about: string;
  title: string;
  effect: string;
  reason?: 'required' | 'optional';
  look?: 'plain' | 'danger';
  className?: string;
  send(reason: string): Promise<unknown>;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<string>();
  const close = (): void => {
    setAsks(false);
    setFailure(undefined);
  };
  const act = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await send(reason.trim());
      close();
      onDone();
    } catch (error) {
      setFailure(words.say('devices.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <>
      <Button
        className={className}
        disabled={!mayChange}
        aria-haspopup="dialog"
        onClick={() => setAsks(true)}
      >
        {label}
        <span className="hidden"> {about}</span>
      </Button>
      {asks && (
        <Dialog onClose={close} title={title} look={look}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              void act();
            }}
          >
            <p>{effect}</p>
            {demanded !== undefined && (
              <TextField
                label={words.say('stop.reason')}
                hint={words.say(demanded === 'required' ? 'computer.reason.hint' : 'computer.reason.audit')}
                data-first
                required={demanded === 'required'}
                value={reason}
                maxLength={longestReason}
                onChange={setReason}
              />
            )}
            <Failure>{failure}</Failure>
            <div className="buttons">
              <Button type="submit" look={look === 'plain' ? 'main' : 'danger'} disabled={!mayChange}>
                {label}
              </Button>
              <Button onClick={close}>{words.say('stop.cancel')}</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
