import type { EmergencyStopReport } from '@lab/api-client';
import type { StopScope, WordKey } from '@lab/web-model';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, Choice, Dialog, Failure, State, TextField } from '../design/index.js';
import { client, reasonOf, useLab, useSight } from '../lab/index.js';
import { useWords } from '../settings/index.js';

type Phase =
  | { kind: 'asking' }
  | { kind: 'stopping' }
  | { kind: 'failed'; reason: string }
  | { kind: 'stopped'; report: EmergencyStopReport };

/** Time within which the service must answer a stop, in milliseconds. */
const answerMs = 10_000;
/** Time between two looks at whether all devices stand still, in milliseconds. */
const lookMs = 1_000;

/** What a scope is called. */
export function useScopeText(): (scope: StopScope) => string {
  const words = useWords();
  return (scope) =>
    scope.kind === 'all'
      ? words.say('stop.scope.all')
      : scope.kind === 'lab'
        ? words.say('stop.scope.lab', { lab: scope.lab })
        : words.say('stop.scope.device', { lab: scope.lab, device: scope.device });
}

/**
 * The emergency stop: it works on old data too, asks for no more than a scope, and says "stopped" only when the service has
 * answered.
 *
 * @param device what the person looks at, and the scope that is chosen first; undefined: everything
 */
export function EmergencyStop({ device }: { device?: { lab: string; name: string } }): ReactNode {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const first = device === undefined ? 'all' : `${device.lab}/${device.name}`;
  return (
    <>
      <Button look="danger" className="stop" onClick={() => setOpen(true)} aria-haspopup="dialog">
        {words.say(device === undefined ? 'stop.button' : 'stop.button.device')}
      </Button>
      {open && <StopDialog first={first} onClose={() => setOpen(false)} />}
    </>
  );
}

function StopDialog({
  first,
  onClose,
}: {
  /** `all`, a laboratory, or `LAB/DEVICE`. */
  first: string;
  onClose(): void;
}): ReactNode {
  const words = useWords();
  const { live } = useLab();
  const [scope, setScope] = useState(first);
  const [reason, setReason] = useState('');
  const [phase, setPhase] = useState<Phase>({ kind: 'asking' });
  const stop = async (): Promise<void> => {
    setPhase({ kind: 'stopping' });
    const [lab_name, device_name] = scope === 'all' ? [] : scope.split('/');
    try {
      const report = await client.post('/api/estop', {
        body: {
          ...(lab_name === undefined ? {} : { lab_name }),
          ...(device_name === undefined ? {} : { device_name }),
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        },
        timeoutMs: answerMs,
      });
      setPhase({ kind: 'stopped', report });
      live.readAgain(['stops', 'devices']);
    } catch (error) {
      setPhase({ kind: 'failed', reason: reasonOf(error) });
    }
  };
  // A failure must be seen, so the dialog stays until the service has answered.
  const close = (): void => {
    if (phase.kind !== 'stopping') onClose();
  };
  return (
    <Dialog onClose={close} title={words.say('stop.title')} look="danger">
      {phase.kind === 'stopped' ? (
        <Stopped first={phase.report} onClose={onClose} />
      ) : (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            void stop();
          }}
        >
          <ScopeField scope={scope} onChange={setScope} />
          <TextField
            label={words.say('stop.reason')}
            hint={words.say('stop.reason.hint')}
            value={reason}
            maxLength={2_000}
            onChange={setReason}
          />
          <p className="hint">{words.say('stop.hardware')}</p>
          <Failure>
            {phase.kind === 'failed' ? words.say('stop.failed', { reason: phase.reason }) : undefined}
          </Failure>
          <div role="status">{phase.kind === 'stopping' && <p>{words.say('stop.doing')}</p>}</div>
          <div className="buttons">
            <Button type="submit" look="danger" data-first>
              {words.say(phase.kind === 'failed' ? 'stop.again' : 'stop.do')}
            </Button>
            <Button onClick={close} disabled={phase.kind === 'stopping'}>
              {words.say('stop.cancel')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function ScopeField({ scope, onChange }: { scope: string; onChange(scope: string): void }): ReactNode {
  const words = useWords();
  const scopeText = useScopeText();
  const { devices } = useSight().records;
  const labs = [...new Set(devices.map(({ lab_name: lab }) => lab))].sort();
  return (
    <Choice label={words.say('stop.scope')} value={scope} onChange={onChange}>
      <option value="all">{scopeText({ kind: 'all' })}</option>
      {labs.map((lab) => (
        <optgroup key={lab} label={lab}>
          <option value={lab}>{scopeText({ kind: 'lab', lab })}</option>
          {devices
            .filter(({ lab_name: own }) => own === lab)
            .map(({ name: device }) => (
              <option key={device} value={`${lab}/${device}`}>
                {scopeText({ kind: 'device', lab, device })}
              </option>
            ))}
        </optgroup>
      ))}
    </Choice>
  );
}

/** What the service says of each device, until all of them stand still. */
function Stopped({ first, onClose }: { first: EmergencyStopReport; onClose(): void }): ReactNode {
  const words = useWords();
  const [report, setReport] = useState(first);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  const { id, confirmed } = report;
  useEffect(() => {
    if (confirmed) return undefined;
    const timer = setInterval(() => {
      client.get('/api/estop/{id}', { path: { id }, retries: 0 }).then(setReport, () => undefined);
    }, lookMs);
    return () => clearInterval(timer);
  }, [id, confirmed]);
  return (
    <>
      <div role="alert">
        <p className="loud">{words.say('stop.done')}</p>
        <p>{words.say('stop.engaged', { confirmed: String(confirmed) })}</p>
      </div>
      <ul className="rows">
        {report.devices.map(({ lab_name: lab, name, state, detail }) => (
          <li key={`${lab}.${name}`} className="row">
            <span className="name">
              {lab}.{name}
            </span>
            <State tone={state === 'stopped' ? 'good' : state === 'stopping' ? 'busy' : 'alarm'}>
              {words.say(`stop.device.${state}` satisfies WordKey)}
            </State>
            {detail !== null && <span className="hint">{detail}</span>}
          </li>
        ))}
      </ul>
      <p className="hint">{words.say('stop.hardware')}</p>
      <div className="buttons">
        <Button ref={close} onClick={onClose}>
          {words.say('stop.close')}
        </Button>
      </div>
    </>
  );
}
