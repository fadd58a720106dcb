import { mayAct, type WordKey } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';

export type WorkKind = 'campaign' | 'run';
type Act = 'pause' | 'resume' | 'cancel';

/** The acts that the state of a campaign or run allows. */
const actsIn: Readonly<Record<string, readonly Act[]>> = {
  created: ['pause', 'cancel'],
  running: ['pause', 'cancel'],
  needs_attention: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  failed: ['resume'],
  cancelled: ['resume'],
};

/** Pauses, resumes or cancels work, after the person has read what follows. */
export function WorkActions({
  kind,
  name,
  state,
  owner,
  onDone,
}: {
  kind: WorkKind;
  name: string;
  state: string;
  owner: string;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const mayChange = useMayAct();
  const [act, setAct] = useState<Act>();
  // Work of others is changed by operators.
  if (!mayAct(me, 'operator') && !(owner === me.name && mayAct(me, 'submitter'))) return null;
  return (
    <div className="buttons">
      {(actsIn[state] ?? []).map((each) => (
        <Button key={each} disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAct(each)}>
          {words.say(`work.${each}` satisfies WordKey)}
        </Button>
      ))}
      {act !== undefined && (
        <Confirm kind={kind} name={name} act={act} onClose={() => setAct(undefined)} onDone={onDone} />
      )}
    </div>
  );
}

const requests: Readonly<Record<WorkKind, Readonly<Record<Act, (name: string) => Promise<unknown>>>>> = {
  campaign: {
    pause: (campaign_name) =>
      client.post('/api/campaigns/{campaign_name}/pause', { path: { campaign_name } }),
    resume: (campaign_name) =>
      client.post('/api/campaigns/{campaign_name}/resume', { path: { campaign_name } }),
    cancel: (campaign_name) =>
      client.post('/api/campaigns/{campaign_name}/cancel', { path: { campaign_name } }),
  },
  run: {
    pause: (name) =>
      client.post('/api/protocols/{protocol_run_name}/pause', { path: { protocol_run_name: name } }),
    resume: (name) =>
      client.post('/api/protocols/{protocol_run_name}/resume', { path: { protocol_run_name: name } }),
    cancel: (name) =>
      client.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: name } }),
  },
};

function Confirm({
  kind,
  name,
  act,
  onClose,
  onDone,
}: {
  kind: WorkKind;
  name: string;
  act: Act;
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const [failure, setFailure] = useState<string>();
  const run = async (): Promise<void> => {
    try {
      await requests[kind][act](name);
      onDone();
      onClose();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say(`work.${act}.title` satisfies WordKey, { name })}>
      <p>{words.say(`work.${act}.effect` satisfies WordKey)}</p>
      <Failure>{failure}</Failure>
      <div className="buttons">
        {/* The act is not reached by a second press of the same key. */}
        <Button look={act === 'cancel' ? 'danger' : 'main'} onClick={() => void run()}>
          {words.say(`work.${act}` satisfies WordKey)}
        </Button>
        <Button data-first onClick={onClose}>
          {words.say('stop.cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
