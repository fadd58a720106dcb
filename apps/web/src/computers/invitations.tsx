import type { InvitationRecord, NewInvitationRecord } from '@lab/api-client';
import { useState, type ReactNode } from 'react';
import { Button, Rows, Section } from '../design/index.js';
import { client, useMayAct, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { Act } from './act.js';
import { Invite } from './invite.js';
import { Line } from './line.js';

/** Invitations that a computer can still join with, and a button for a new one. */
export function Invitations({
  invitations,
  onDone,
}: {
  invitations: readonly InvitationRecord[];
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const now = useNow();
  const [asks, setAsks] = useState(false);
  const [made, setMade] = useState<NewInvitationRecord>();
  const open = invitations.filter(({ expires_at: end, used, uses }) => Date.parse(end) > now && used < uses);
  return (
    <Section title={words.say('invite.list')}>
      {made !== undefined && <Line key={made.id} made={made} onClose={() => setMade(undefined)} />}
      {open.length === 0 && <p className="hint">{words.say('invite.none')}</p>}
      <Rows items={open} keyOf={({ id }) => id}>
        {(each) => (
          <>
            <span className="name">{each.computer}</span>
            <span className="hint">
              {words.say('invite.ends', { age: words.age(Date.parse(each.expires_at) - now) })}
              {each.lab !== null && `, ${each.lab}`}
              {each.uses > 1 && `, ${words.say('invite.used', { used: each.used, uses: each.uses })}`}
              {each.needs_approval && `, ${words.say('invite.approved')}`}
              {`, ${words.say('invite.by', { by: each.created_by })}`}
            </span>
            <Act
              className="end"
              label={words.say('invite.withdraw')}
              about={each.computer}
              title={words.say('invite.withdraw.title', { computer: each.computer })}
              effect={words.say('invite.withdraw.effect')}
              send={() =>
                client.delete('/api/invitations/{invitation_id}', { path: { invitation_id: each.id } })
              }
              onDone={onDone}
            />
          </>
        )}
      </Rows>
      <div className="buttons">
        <Button disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsks(true)}>
          {words.say('invite.do')}
        </Button>
      </div>
      {asks && (
        <Invite
          onClose={() => setAsks(false)}
          onMade={(invitation) => {
            setMade(invitation);
            setAsks(false);
            onDone();
          }}
        />
      )}
    </Section>
  );
}
