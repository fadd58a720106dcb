import type { AgentPackageRecord, RolloutRecord } from '@lab/api-client';
import type { LabEvent, Tone } from '@lab/web-model';
import { useCallback, useState, type ReactNode } from 'react';
import { Button, Choice, Dialog, Failure, Rows, Section, State, TextField } from '../design/index.js';
import { client, reasonOf, useMayAct, useNow, useRecord, useSight } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Act } from './act.js';

const rolloutTones: Readonly<Record<RolloutRecord['state'], Tone>> = {
  running: 'busy',
  halted: 'alarm',
  completed: 'good',
  cancelled: 'idle',
};
type Step = RolloutRecord['computers'][number];
const stepTones: Readonly<Record<Step['state'], Tone>> = {
  ...{ waiting: 'idle', draining: 'busy', updating: 'busy', restarting: 'busy', initializing: 'busy' },
  ...{ updated: 'good', failed: 'alarm' },
};

/** The latest update of many agents, and a button for a new one. */
export function Rollouts(): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const load = useCallback(async (signal: AbortSignal) => {
    const [rollouts, packages] = await Promise.all([
      client.get('/api/agent-rollouts', { signal }),
      client.get('/api/agent-packages', { signal }),
    ]);
    return { latest: rollouts[0], packages };
  }, []);
  const { record, failure, readAgain } = useRecord(load, concerns);
  const { latest, packages = [] } = record ?? {};
  const isUnderWay = latest !== undefined && latest.ended_at === null;
  return (
    <Section title={words.say('rollout.title')}>
      {(record === undefined || failure !== undefined) && <Unread reason={failure} />}
      {latest !== undefined && <Rollout rollout={latest} onDone={readAgain} />}
      {record !== undefined && packages.length === 0 && <p className="hint">{words.say('rollout.none')}</p>}
      {packages.length > 0 && !isUnderWay && (
        <div className="buttons">
          <Button disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsks(true)}>
            {words.say('rollout.start')}
          </Button>
        </div>
      )}
      {asks && (
        <Start
          packages={packages}
          onClose={() => setAsks(false)}
          onDone={() => {
            setAsks(false);
            readAgain();
          }}
        />
      )}
    </Section>
  );
}

const concerns = ({ type }: LabEvent): boolean => type.startsWith('rollout.');

function Rollout({ rollout, onDone }: { rollout: RolloutRecord; onDone(): void }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { id, version, state, by, reason, created_at: at, halt, waits_for: waits } = rollout;
  const path = { rollout_id: id };
  const isUnderWay = rollout.ended_at === null;
  return (
    <>
      <p>
        <State tone={rolloutTones[state]}>{words.state(state)}</State>{' '}
        {words.say('rollout.of', { version, by, time: words.time(Date.parse(at), now), reason })}
      </p>
      {halt !== null && <p className="loud">{halt.reason}</p>}
      {waits !== null && <p className="hint">{words.say('rollout.waits', { reason: waits })}</p>}
      <Rows items={rollout.computers} keyOf={({ computer }) => computer}>
        {(step) => (
          <>
            <span className="name">{step.computer}</span>
            <State tone={stepTones[step.state]}>{words.state(step.state)}</State>
            <span className="hint">
              {words.say('rollout.step', { ring: step.ring, version: step.version_before })}
            </span>
            {step.detail !== null && <span>{step.detail}</span>}
          </>
        )}
      </Rows>
      <Rows items={rollout.left_out} keyOf={({ computer }) => computer}>
        {(left) => (
          <>
            <span className="name">{left.computer}</span>
            <State tone="unknown">{words.say('rollout.left_out')}</State>
            <span className="hint">{left.reason}</span>
          </>
        )}
      </Rows>
      {isUnderWay && (
        <div className="buttons">
          {state === 'halted' && (
            <Act
              label={words.say('rollout.resume')}
              about={version}
              title={words.say('rollout.resume.title', { version })}
              effect={words.say('rollout.resume.effect')}
              reason="optional"
              send={(why) =>
                client.post('/api/agent-rollouts/{rollout_id}/resume', { path, body: { reason: why } })
              }
              onDone={onDone}
            />
          )}
          <Act
            label={words.say('rollout.cancel')}
            about={version}
            title={words.say('rollout.cancel.title', { version })}
            effect={words.say('rollout.cancel.effect')}
            reason="optional"
            send={(why) =>
              client.post('/api/agent-rollouts/{rollout_id}/cancel', { path, body: { reason: why } })
            }
            onDone={onDone}
          />
        </div>
      )}
    </>
  );
}

function Start({
  packages,
  onClose,
  onDone,
}: {
  packages: readonly AgentPackageRecord[];
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const { agents } = useSight().records;
  const versions = [...new Set(packages.map(({ version }) => version))];
  const [version, setVersion] = useState(versions.at(-1) ?? '');
  const [first, setFirst] = useState('');
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<string>();
  const start = async (): Promise<void> => {
    setFailure(undefined);
    const canary = first === '' ? {} : { canary: first };
    try {
      await client.post('/api/agent-rollouts', { body: { version, reason: reason.trim(), ...canary } });
      onDone();
    } catch (error) {
      setFailure(words.say('devices.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('rollout.start')}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p>{words.say('rollout.start.effect')}</p>
        <Choice label={words.say('rollout.version')} value={version} onChange={setVersion}>
          {versions.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Choice>
        <Choice label={words.say('rollout.first')} value={first} onChange={setFirst}>
          <option value="">{words.say('rollout.first.any')}</option>
          {agents.map(({ computer }) => (
            <option key={computer} value={computer}>
              {computer}
            </option>
          ))}
        </Choice>
        <TextField
          label={words.say('stop.reason')}
          hint={words.say('computer.reason.hint')}
          data-first
          required
          value={reason}
          maxLength={2_000}
          onChange={setReason}
        />
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main">
            {words.say('rollout.start')}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
