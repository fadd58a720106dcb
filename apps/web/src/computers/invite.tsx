import { ProblemError, type NewInvitationRecord } from '@lab/api-client';
import { useState, type ReactNode } from 'react';
import { Button, Choice, Dialog, Failure, TextField } from '../design/index.js';
import { client, reasonOf, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** How long an invitation may be valid, in seconds. */
const validities = [3_600, 86_400, 7 * 86_400] as const;

/** Invites a computer. */
export function Invite({
  onClose,
  onMade,
}: {
  onClose(): void;
  onMade(made: NewInvitationRecord): void;
}): ReactNode {
  const words = useWords();
  const { agents, devices } = useSight().records;
  const labs = new Set([...agents.flatMap(({ labs: of }) => of), ...devices.map(({ lab_name: lab }) => lab)]);
  const [computer, setComputer] = useState('');
  const [lab, setLab] = useState('');
  const [seconds, setSeconds] = useState<number>(validities[0]);
  const [uses, setUses] = useState('2');
  const [approval, setApproval] = useState(false);
  const [failure, setFailure] = useState<string>();
  const isPattern = computer.includes('*');
  const invite = async (): Promise<void> => {
    setFailure(undefined);
    const body = {
      ...{ computer: computer.trim(), expires_in_s: seconds, approval },
      ...(lab === '' ? {} : { lab }),
      ...(isPattern ? { uses: Number(uses) } : {}),
    };
    try {
      onMade(await client.post('/api/invitations', { body }));
    } catch (error) {
      setFailure(words.say('invite.failed', { reason: sentencesOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('invite.do')}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void invite();
        }}
      >
        <p>{words.say('invite.effect')}</p>
        <TextField
          label={words.say('invite.computer')}
          hint={words.say('invite.computer.hint')}
          data-first
          required
          value={computer}
          maxLength={200}
          onChange={setComputer}
        />
        {isPattern && (
          <TextField
            label={words.say('invite.uses')}
            hint={words.say('invite.uses.hint')}
            required
            type="number"
            min={2}
            max={1_000}
            value={uses}
            onChange={setUses}
          />
        )}
        <Choice label={words.say('invite.lab')} value={lab} onChange={setLab}>
          <option value="">{words.say('invite.lab.any')}</option>
          {[...labs].sort().map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
        <Choice
          label={words.say('invite.valid')}
          value={String(seconds)}
          onChange={(text) => setSeconds(Number(text))}
        >
          {validities.map((each) => (
            <option key={each} value={each}>
              {words.age(each * 1_000)}
            </option>
          ))}
        </Choice>
        <label className="check">
          <input type="checkbox" checked={approval} onChange={({ target }) => setApproval(target.checked)} />
          {words.say('invite.approval')}
        </label>
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main">
            {words.say('invite.make')}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why the service refused the invitation, with each fault. */
function sentencesOf(error: unknown): string {
  const faults = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  if (faults.length === 0) return reasonOf(error);
  return faults.map(({ message, hint }) => `${message}${hint === undefined ? '' : `; ${hint}`}.`).join(' ');
}
