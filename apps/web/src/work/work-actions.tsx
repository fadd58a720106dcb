import { mayActSomewhere, type WordKey, type WorkKind } from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, TextField } from '../design/index.js';
import { actOnWork, changeWork, reasonOf, useLab, useMayAct, type WorkAct as Act } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { useMayChange, type Work } from './may-change.js';

/** Acts that change values. */
type Change = 'change_priority' | 'settings';

const over = ['completed', 'failed', 'cancelled', 'skipped'];

/** The acts that the state of a campaign or run allows. */
const actsIn: Readonly<Record<string, readonly Act[]>> = {
  created: ['pause', 'cancel'],
  running: ['pause', 'cancel'],
  needs_attention: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  failed: ['resume'],
  cancelled: ['resume'],
};

function actsOf(kind: WorkKind, { state, archived_at: archived }: Work): readonly Act[] {
  if (archived !== null) return ['restore'];
  const isOver = over.includes(state);
  if (kind === 'task') return isOver ? ['archive'] : ['cancel'];
  return isOver ? [...(actsIn[state] ?? []), 'archive'] : (actsIn[state] ?? []);
}

/** What a person may do with work. Each act says what follows before it is done. */
export function WorkActions({
  kind,
  work,
  onDone,
}: {
  kind: WorkKind;
  work: Work;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { me } = useLab();
  const mayChange = useMayAct();
  const [asked, setAsked] = useState<Act | Change>();
  const mayHere = useMayChange(kind, work);
  const isOver = over.includes(work.state);
  const isPart = 'protocol_run' in work && work.protocol_run !== null;
  const acts = actsOf(kind, work).filter((act) => !isPart || act === 'cancel');
  const changes: Change[] = isOver
    ? []
    : kind === 'campaign'
      ? ['change_priority', 'settings']
      : ['change_priority'];
  const close = (): void => setAsked(undefined);
  const done = (): void => {
    onDone();
    close();
  };
  return (
    <div className="buttons">
      {mayHere &&
        [...acts, ...changes].map((each) => (
          <Button key={each} disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsked(each)}>
            {words.say(labelOf(kind, each))}
          </Button>
        ))}
      {mayActSomewhere(me, 'submitter') && !isPart && (
        <Button onClick={() => void navigate({ to: '/submit', search: { kind, from: work.name } })}>
          {words.say('work.clone')}
        </Button>
      )}
      {asked === 'change_priority' || asked === 'settings' ? (
        <ChangeValues kind={kind} work={work} change={asked} onClose={close} onDone={done} />
      ) : (
        asked !== undefined && <Confirm kind={kind} work={work} act={asked} onClose={close} onDone={done} />
      )}
    </div>
  );
}

const labelOf = (kind: WorkKind, act: Act | Change): WordKey =>
  kind === 'task' && act === 'cancel' ? 'task.cancel' : `work.${act}`;

const runOf = (work: Work): string | null => ('protocol_run' in work ? work.protocol_run : null);

interface Asked {
  kind: WorkKind;
  work: Work;
  onClose(): void;
  onDone(): void;
}

function Confirm({ kind, work, act, onClose, onDone }: Asked & { act: Act }): ReactNode {
  const words = useWords();
  const [failure, setFailure] = useState<string>();
  const run = async (): Promise<void> => {
    try {
      await actOnWork({ kind, name: work.name, run: runOf(work) }, act);
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  const place = kind === 'task' && act === 'cancel' ? 'task.cancel' : (`work.${act}` as const);
  return (
    <Dialog onClose={onClose} title={words.say(`${place}.title` satisfies WordKey, { name: work.name })}>
      <p>{words.say(`${place}.effect` satisfies WordKey)}</p>
      <Failure>{failure}</Failure>
      <div className="buttons">
        {/* The act is not reached by a second press of the same key. */}
        <Button look={act === 'cancel' ? 'danger' : 'main'} onClick={() => void run()}>
          {words.say(labelOf(kind, act))}
        </Button>
        <Button data-first onClick={onClose}>
          {words.say('stop.cancel')}
        </Button>
      </div>
    </Dialog>
  );
}

/** The limits of the interface. */
const limits = {
  priority: [-1_000_000, 1_000_000],
  max_protocol_runs: [0, 100_000],
  max_concurrent_protocol_runs: [1, 10_000],
} as const;
type Setting = keyof typeof limits;

function ChangeValues({ kind, work, change, onClose, onDone }: Asked & { change: Change }): ReactNode {
  const words = useWords();
  const settings: Setting[] =
    change === 'change_priority' ? ['priority'] : ['max_protocol_runs', 'max_concurrent_protocol_runs'];
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(
      settings.map((each) => [each, String((work as unknown as Record<Setting, number>)[each])]),
    ),
  );
  const [failure, setFailure] = useState<string>();
  const labels: Readonly<Record<Setting, [label: string, hint: string]>> = {
    priority: [words.say('work.priority'), words.say('work.priority.hint')],
    max_protocol_runs: [
      words.say('work.max_runs'),
      words.say('work.max_runs.hint', {
        begun: 'protocol_runs_started' in work ? work.protocol_runs_started : 0,
      }),
    ],
    max_concurrent_protocol_runs: [words.say('work.max_concurrent'), words.say('work.max_concurrent.hint')],
  };
  const send = async (): Promise<void> => {
    const body: Partial<Record<Setting, number>> = {};
    for (const each of settings) {
      const text = (texts[each] ?? '').trim();
      const value = Number(text);
      const [min, max] = limits[each];
      if (text === '' || !Number.isInteger(value) || value < min || value > max) {
        setFailure(words.say('work.number.wrong', { text, min: String(min), max: String(max) }));
        return;
      }
      body[each] = value;
    }
    try {
      await changeWork({ kind, name: work.name, run: runOf(work) }, body);
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog
      onClose={onClose}
      title={words.say(`work.${change}.title` satisfies WordKey, { name: work.name })}
    >
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{words.say(`work.${change}.effect` satisfies WordKey)}</p>
        {settings.map((each, at) => (
          <TextField
            key={each}
            label={labels[each][0]}
            hint={labels[each][1]}
            inputMode="numeric"
            value={texts[each] ?? ''}
            onChange={(text) => setTexts((before) => ({ ...before, [each]: text }))}
            {...(at === 0 ? { 'data-first': true } : {})}
          />
        ))}
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main">
            {words.say(`work.${change}` satisfies WordKey)}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
