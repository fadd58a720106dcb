import type { NewInvitationRecord } from '@lab/api-client';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** The line for an invited computer. It is a secret, which the service shows once: it stays here until the person closes it. */
export function Line({ made, onClose }: { made: NewInvitationRecord; onClose(): void }): ReactNode {
  const words = useWords();
  const now = useNow();
  const place = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<boolean>();
  useEffect(() => {
    place.current?.focus();
  }, []);
  const copy = async (): Promise<void> => {
    place.current?.select();
    try {
      // Over http from another computer the browser gives no clipboard. Then the person copies the selected line.
      await navigator.clipboard.writeText(made.command);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div className="headline tone-warning">
      <p>
        <strong>{words.say('invite.line.title', { computer: made.computer })}</strong>
      </p>
      <p>{words.say('invite.line')}</p>
      <div className="secret">
        <input
          ref={place}
          readOnly
          aria-label={words.say('invite.line.label')}
          value={made.command}
          onFocus={({ target }) => target.select()}
        />
        <Button look="main" onClick={() => void copy()}>
          {words.say('invite.copy')}
        </Button>
      </div>
      <p role="status">
        {copied === undefined ? '' : words.say(copied ? 'invite.copied' : 'invite.not_copied')}
      </p>
      <p>
        {words.say('invite.line.until', { time: words.time(Date.parse(made.expires_at), now) })}{' '}
        {made.needs_approval && words.say('invite.line.approval')}
      </p>
      <div className="buttons">
        <Button onClick={onClose}>{words.say('invite.close')}</Button>
      </div>
    </div>
  );
}
