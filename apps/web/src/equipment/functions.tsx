import { ProblemError, type DeviceDetail } from '@lab/api-client';
import { fieldsOf, plainText, type Field } from '@lab/web-model';
import { useMemo, useState, type ReactNode } from 'react';
import { Button, Failure, Section, TextField } from '../design/index.js';
import { Fields, useFields } from '../forms/index.js';
import { client, useMayAct, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

type DeviceFunction = DeviceDetail['functions'][number];

/** The functions of a device as forms: what only reads apart from what may move it. */
export function Functions({ device, onDone }: { device: DeviceDetail; onDone(): void }): ReactNode {
  const words = useWords();
  const { functions } = device;
  const queries = functions.filter(({ kind }) => kind === 'query');
  const effects = functions.filter(({ kind }) => kind !== 'query');
  if (functions.length === 0) return <p className="hint">{words.say('device.functions.none')}</p>;
  return (
    <>
      {effects.length > 0 && (
        <Section title={words.say('device.effects')}>
          <p className="hint">{words.say('device.effects.hint')}</p>
          {effects.map((each) => (
            <FunctionForm key={each.name} device={device} called={each} onDone={onDone} />
          ))}
        </Section>
      )}
      {queries.length > 0 && (
        <Section title={words.say('device.queries')}>
          <p className="hint">{words.say('device.queries.hint')}</p>
          {queries.map((each) => (
            <FunctionForm key={each.name} device={device} called={each} onDone={onDone} />
          ))}
        </Section>
      )}
    </>
  );
}

/** The field for all arguments of a function that declares none. */
const anything = 'arguments';

interface FormProps {
  device: DeviceDetail;
  called: DeviceFunction;
  onDone(): void;
}

function FunctionForm(props: FormProps): ReactNode {
  const words = useWords();
  const { name, description, kind, timeout_s: limit, parameters } = props.called;
  // A list made anew with each reading of the device would empty the fields while a person writes.
  const text = JSON.stringify(parameters);
  const fields = useMemo(
    () => fieldsOf(text === 'null' ? { [anything]: { type: 'dict', optional: true } } : JSON.parse(text)),
    [text],
  );
  return (
    <details className="function">
      <summary>
        <span className="name">{name}</span> <span className="hint">{description ?? ''}</span>
      </summary>
      {fields === undefined ? (
        <p className="loud">{words.say('device.functions.unread')}</p>
      ) : (
        <>
          {parameters === null && <p className="hint">{words.say('device.unchecked')}</p>}
          <CallForm {...props} fields={fields} />
          {kind !== 'query' && <p className="hint">{words.say('device.limit', { seconds: limit })}</p>}
        </>
      )}
    </details>
  );
}

function CallForm({ device, called, fields, onDone }: FormProps & { fields: readonly Field[] }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const now = useNow();
  const state = useFields(fields);
  const [since, setSince] = useState<number>();
  const [answer, setAnswer] = useState<{ value: unknown; at: number }>();
  const [failure, setFailure] = useState<string>();
  const [force, setForce] = useState(false);
  const [reason, setReason] = useState('');
  const { name, kind, timeout_s: limit, parameters } = called;
  const { lab_name: lab_id, name: device_id, held_by: holder } = device;
  const isTaken = kind !== 'query' && holder !== null;
  const call = async (): Promise<void> => {
    setFailure(undefined);
    setAnswer(undefined);
    const values = state.read();
    if (values === undefined) return setFailure(words.say('field.look'));
    if (isTaken && force && reason.trim() === '') return setFailure(words.say('device.force.missing'));
    setSince(now);
    try {
      const value: unknown = await client.post('/api/rpc/{lab_id}/{device_id}/{function_name}', {
        path: { lab_id, device_id, function_name: name },
        ...(isTaken && force ? { query: { force: true, reason: reason.trim() } } : {}),
        body: (parameters === null ? (values[anything] ?? {}) : values) as Record<string, unknown>,
        // The answer of the service may take a little longer than the call.
        timeoutMs: limit * 1_000 + 15_000,
      });
      setAnswer({ value, at: now });
    } catch (error) {
      const path = parameters === null ? anything : '';
      setFailure(words.say('device.call.failed', { reason: state.refused(error, path) }));
      if (error instanceof ProblemError && error.problem.code === 'device_in_use') setForce(false);
    } finally {
      setSince(undefined);
      onDone();
    }
    return undefined;
  };
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void call();
      }}
    >
      <Fields state={state} />
      {isTaken && (
        <>
          <label className="check">
            <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />{' '}
            {words.say('device.force', { task: holder })}
          </label>
          {force && (
            <TextField
              label={words.say('device.force.reason')}
              hint={words.say('device.force.effect')}
              value={reason}
              maxLength={2_000}
              onChange={setReason}
            />
          )}
        </>
      )}
      <div className="buttons">
        <Button
          type="submit"
          look={kind === 'query' ? 'plain' : 'main'}
          disabled={!mayChange || since !== undefined || (isTaken && !force)}
        >
          {words.say('device.call', { name })}
        </Button>
      </div>
      <Failure>{failure}</Failure>
      <div role="status">
        {since !== undefined && <p>{words.say('device.calling', { age: words.age(now - since) })}</p>}
        {answer !== undefined && (
          <>
            <p className="hint">{words.say('device.answer', { name, time: words.time(answer.at, now) })}</p>
            {answer.value === null || answer.value === undefined ? (
              <p>{words.say('device.answer.none')}</p>
            ) : (
              <pre className="log" tabIndex={0} aria-label={words.say('device.answer', { name, time: '' })}>
                {typeof answer.value === 'object'
                  ? JSON.stringify(answer.value, null, 2)
                  : plainText(answer.value)}
              </pre>
            )}
          </>
        )}
      </div>
    </form>
  );
}
