import type { NewTokenRecord, TokenSubmission } from '@lab/api-client';
import { mayAct, roles, type Role, type WordKey } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Choice, Dialog, Failure, TextField } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Makes an access token, and shows it once. */
export function NewToken({ onMade }: { onMade(): void }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const [open, setOpen] = useState(false);
  return (
    <div className="buttons">
      <Button disabled={!mayChange} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.say('access.make')}
      </Button>
      {open && <Making onClose={() => setOpen(false)} onMade={onMade} />}
    </div>
  );
}

function Making({ onClose, onMade }: { onClose(): void; onMade(): void }): ReactNode {
  const words = useWords();
  const [made, setMade] = useState<NewTokenRecord>();
  return (
    <Dialog onClose={onClose} title={words.say('access.make')}>
      {made === undefined ? (
        <Form
          onClose={onClose}
          onMade={(token) => {
            setMade(token);
            onMade();
          }}
        />
      ) : (
        <Made token={made.token} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Form({ onClose, onMade }: { onClose(): void; onMade(token: NewTokenRecord): void }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const { devices } = useSight().records;
  const isAdmin = mayAct(me, 'admin');
  const [name, setName] = useState(isAdmin ? '' : me.name);
  const [kind, setKind] = useState<'personal' | 'service'>('personal');
  const [role, setRole] = useState<Role>('viewer');
  const [lab, setLab] = useState('');
  const [note, setNote] = useState('');
  const [days, setDays] = useState('30');
  const [failure, setFailure] = useState<string>();
  const labs = [...new Set(devices.map(({ lab_name: each }) => each))].sort();
  const make = async (): Promise<void> => {
    const max = kind === 'personal' ? 366 : 3_650;
    const isSound =
      days.trim() === '' || (/^\d+$/.test(days.trim()) && Number(days) >= 1 && Number(days) <= max);
    if (!isSound) return setFailure(words.say('work.number.wrong', { text: days, min: 1, max }));
    const body: TokenSubmission = {
      ...{ name: name.trim(), kind, note: note.trim() },
      grants: [lab === '' ? { role } : { role, lab }],
      // A service token without an end is a decision of its own, so an empty field is none.
      ...(days.trim() === '' ? {} : { expires_in_days: Number(days) }),
    };
    try {
      onMade(await client.post('/api/tokens', { body }));
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
    return undefined;
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <TextField
        label={words.say('access.name')}
        hint={words.say('access.name.hint')}
        data-first
        required
        readOnly={!isAdmin}
        value={name}
        onChange={setName}
      />
      {isAdmin && (
        <Choice
          label={words.say('access.user')}
          value={kind}
          onChange={(value) => setKind(value as 'personal' | 'service')}
        >
          <option value="personal">{words.say('access.kind.personal')}</option>
          <option value="service">{words.say('access.kind.service')}</option>
        </Choice>
      )}
      <Choice label={words.say('access.role')} value={role} onChange={(value) => setRole(value as Role)}>
        {roles
          .filter((each) => mayAct(me, each, lab === '' ? undefined : lab))
          .map((each) => (
            <option key={each} value={each}>
              {words.say(`role.${each}` satisfies WordKey)}
            </option>
          ))}
      </Choice>
      <Choice label={words.say('access.lab')} value={lab} onChange={setLab}>
        <option value="">{words.say('access.lab.all')}</option>
        {labs.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Choice>
      <TextField
        label={words.say('access.note')}
        hint={words.say('access.note.hint')}
        maxLength={200}
        value={note}
        onChange={setNote}
      />
      <TextField
        label={words.say('access.days')}
        hint={words.say(kind === 'personal' ? 'access.days.personal' : 'access.days.service')}
        inputMode="numeric"
        value={days}
        onChange={setDays}
      />
      <Failure>{failure}</Failure>
      <div className="buttons">
        <Button type="submit" look="main">
          {words.say('access.make')}
        </Button>
        <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
      </div>
    </form>
  );
}

function Made({ token, onClose }: { token: string; onClose(): void }): ReactNode {
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <p>{words.say('access.made')}</p>
      <TextField
        label={words.say('access.token')}
        hint={words.say('access.token.hint')}
        data-first
        readOnly
        value={token}
        onChange={() => undefined}
        onFocus={({ target }) => target.select()}
      />
      <div role="status">{isCopied && <p>{words.say('access.copied')}</p>}</div>
      <div className="buttons">
        <Button
          look="main"
          onClick={() => void navigator.clipboard.writeText(token).then(() => setCopied(true))}
        >
          {words.say('access.copy')}
        </Button>
        <Button onClick={onClose}>{words.say('stop.close')}</Button>
      </div>
    </>
  );
}
