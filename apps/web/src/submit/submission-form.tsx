import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from '@lab/api-client';
import {
  byTask,
  csvOf,
  readFields,
  tableOfRuns,
  textOf,
  valuesOf,
  type Field,
  type Value,
  type WorkKind,
} from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Button, Failure, Section, TextField } from '../design/index.js';
import { Fields, useFields } from '../forms/index.js';
import { client, useLab, useMayAct } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { useDeclared, type Declared } from './declared.js';
import { Check, useDryRun, type DryRun } from './dry-run.js';
import type { Earlier } from './earlier.js';
import { Rows, useRows } from './rows.js';
import { DeviceChoice, ResourceChoice } from './units.js';

interface FormProps {
  kind: WorkKind;
  /** Task type or protocol. */
  type: string;
  earlier: Earlier | undefined;
}

/** The form for a submission of a type, and what the service says of it while it is filled in. */
export function SubmissionForm(props: FormProps): ReactNode {
  const declared = useDeclared(props.kind, props.type);
  if (declared === undefined || typeof declared === 'string') return <Unread reason={declared} />;
  return <Form {...props} declared={declared} />;
}

/** Path of the values in the body of the request. */
const places: Readonly<Record<WorkKind, string>> = {
  task: 'input_parameters',
  run: 'parameters',
  campaign: 'global_parameters',
};

function Form({ kind, type, earlier, declared }: FormProps & { declared: Declared }): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { me, live } = useLab();
  const mayChange = useMayAct();
  const [name, setName] = useState(() => suggested(type));
  const [priority, setPriority] = useState(String(earlier?.submission?.priority ?? 0));
  const [units, setUnits] = useState<Readonly<Record<string, string>>>(() => unitsOf(earlier));
  const campaign = useCampaign(earlier);
  const rows = useRows(type, rowsText(earlier));
  const state = useFields(declared.fields);
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const { begin } = state;
  const given = earlier?.submission;
  useEffect(() => {
    const values = given === undefined ? {} : valuesOf(kind, given);
    begin(new Map(declared.fields.flatMap((field) => beginning(field, values[field.name]))));
  }, [begin, declared, given, kind]);

  const { values, faults } = readFields(state.fields, state.texts);
  const missing = [
    ...declared.devices.map((slot) => ({ slot, key: `device:${slot.name}` })),
    ...declared.resources.map((slot) => ({ slot, key: `resource:${slot.name}` })),
  ].find(({ key }) => (units[key] ?? '') === '');
  const body = {
    ...carried(earlier),
    ...{ name: name.trim(), owner: me.name, priority: Number(priority) },
    ...(kind === 'task'
      ? { type, ...taskPart(declared, units, values) }
      : kind === 'run'
        ? { type, parameters: byTask(values) }
        : {
            ...{ protocol: type, global_parameters: byTask(values), optimize: campaign.optimize },
            max_concurrent_protocol_runs: Number(campaign.concurrent),
            max_protocol_runs: rows.found?.length ?? Number(campaign.runs),
            ...(rows.found === undefined ? {} : { protocol_run_parameters: rows.found }),
          }),
  };
  const isWhole = faults.size === 0 && missing === undefined && name.trim() !== '' && !rows.isOpen;
  const answer = useDryRun(isWhole ? JSON.stringify(body) : undefined, (signal) =>
    tryOut(kind, body, signal),
  );

  const submit = async (): Promise<void> => {
    setFailure(undefined);
    if (name.trim() === '') return setFailure(words.say('submit.name.missing'));
    if (missing !== undefined)
      return setFailure(words.say('submit.unit.missing', { slot: missing.slot.name }));
    if (state.read() === undefined) return setFailure(words.say('field.look'));
    if (rows.isOpen) return setFailure(words.say('submit.rows.open'));
    setSending(true);
    try {
      await send(kind, body);
      live.readAgain(['campaigns', 'runs', 'queue']);
      const params = { name: name.trim() };
      if (kind === 'task') await navigate({ to: '/tasks/$name', params });
      else if (kind === 'run') await navigate({ to: '/runs/$name', params });
      else await navigate({ to: '/campaigns/$name', params });
    } catch (error) {
      setFailure(words.say('submit.failed', { reason: state.refused(error, places[kind]) }));
    } finally {
      setSending(false);
    }
    return undefined;
  };
  return (
    <form
      className="columns"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div>
        {declared.desc !== '' && <p>{declared.desc}</p>}
        {earlier !== undefined && (
          <p className="hint">
            {words.say('submit.from', { name: earlier.name })}{' '}
            {earlier.leftOut.length > 0 &&
              words.say('submit.left_out', { paths: earlier.leftOut.join(', ') })}
          </p>
        )}
        <div className="form narrow">
          <TextField
            label={words.say('submit.name')}
            hint={words.say('submit.name.hint')}
            value={name}
            maxLength={200}
            onChange={setName}
          />
          <TextField
            label={words.say('submit.priority')}
            hint={words.say('work.change_priority.effect')}
            inputMode="numeric"
            value={priority}
            onChange={setPriority}
          />
          {kind === 'campaign' && (
            <CampaignFields
              campaign={campaign}
              hasOptimizer={declared.hasOptimizer}
              rows={rows.found?.length}
            />
          )}
          {declared.devices.map((slot) => (
            <DeviceChoice
              key={slot.name}
              slot={slot}
              value={units[`device:${slot.name}`] ?? ''}
              onChange={(unit) => setUnits((before) => ({ ...before, [`device:${slot.name}`]: unit }))}
            />
          ))}
          {declared.resources.map((slot) => (
            <ResourceChoice
              key={slot.name}
              slot={slot}
              value={units[`resource:${slot.name}`] ?? ''}
              onChange={(unit) => setUnits((before) => ({ ...before, [`resource:${slot.name}`]: unit }))}
            />
          ))}
        </div>
        <Section title={words.say(kind === 'campaign' ? 'submit.parameters.campaign' : 'submit.parameters')}>
          {declared.fields.length === 0 && <p className="hint">{words.say('submit.parameters.none')}</p>}
          <Fields state={state} legendOf={kind === 'task' ? undefined : (task) => task} />
        </Section>
        {kind === 'campaign' && declared.fields.length > 0 && (
          <Section title={words.say('submit.rows')}>
            <Rows rows={rows} example={declared.fields.map((field) => field.name).slice(0, 2)} />
          </Section>
        )}
      </div>
      <div className="aside">
        <Check answer={answer} />
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main" disabled={!mayChange || isSending}>
            {words.say('submit.do')}
          </Button>
        </div>
      </div>
    </form>
  );
}

interface Campaign {
  runs: string;
  concurrent: string;
  optimize: boolean;
}

function useCampaign(earlier: Earlier | undefined): Campaign & { change(part: Partial<Campaign>): void } {
  const [state, setState] = useState<Campaign>(() => {
    const given = (earlier?.submission ?? {}) as Partial<CampaignSubmission>;
    return {
      runs: String(given.max_protocol_runs ?? 10),
      concurrent: String(given.max_concurrent_protocol_runs ?? 1),
      optimize: given.optimize ?? false,
    };
  });
  return useMemo(
    () => ({ ...state, change: (part) => setState((before) => ({ ...before, ...part })) }),
    [state],
  );
}

function CampaignFields({
  campaign: { runs, concurrent, optimize, change },
  hasOptimizer,
  rows,
}: {
  campaign: ReturnType<typeof useCampaign>;
  hasOptimizer: boolean;
  /** Number of rows, which is the number of runs; undefined: there are no rows. */
  rows: number | undefined;
}): ReactNode {
  const words = useWords();
  return (
    <>
      <TextField
        label={words.say('submit.runs')}
        hint={
          rows === undefined ? words.say('submit.runs.hint') : words.say('submit.runs.rows', { count: rows })
        }
        inputMode="numeric"
        disabled={rows !== undefined}
        value={rows === undefined ? runs : String(rows)}
        onChange={(text) => change({ runs: text })}
      />
      <TextField
        label={words.say('submit.concurrent')}
        hint={words.say('work.max_concurrent.hint')}
        inputMode="numeric"
        value={concurrent}
        onChange={(text) => change({ concurrent: text })}
      />
      {hasOptimizer && (
        <label className="check">
          <input
            type="checkbox"
            checked={optimize}
            onChange={({ target }) => change({ optimize: target.checked })}
          />{' '}
          {words.say('submit.optimize')}
        </label>
      )}
    </>
  );
}

/** The text with which a field begins: the given value, or the one that the declaration has. */
function beginning(field: Field, value: unknown): [string, string][] {
  const first = value === undefined ? field.preset : (value as Value);
  return first === undefined ? [] : [[field.name, textOf(field, first)]];
}

/** What the form does not show of earlier work, such as what happens after a failure. */
function carried(earlier: Earlier | undefined): Body {
  const {
    name: _name,
    resume: _resume,
    protocol_run_parameters: _rows,
    ...rest
  } = (earlier?.submission ?? {}) as Partial<CampaignSubmission>;
  return rest;
}

/** The rows of an earlier campaign, as a person pastes them. */
function rowsText(earlier: Earlier | undefined): string {
  const { protocol_run_parameters: rows } = (earlier?.submission ?? {}) as Partial<CampaignSubmission>;
  return rows === undefined ? '' : csvOf(tableOfRuns(rows));
}

/** A name that is new: the type and the time. */
function suggested(type: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').slice(2, 15).replace('T', '_');
  return `${type}_${time}`;
}

function unitsOf(earlier: Earlier | undefined): Record<string, string> {
  const given = (earlier?.submission ?? {}) as Partial<TaskSubmission>;
  return Object.fromEntries([
    ...Object.entries(given.devices ?? {}).map(([slot, { lab_name: lab, name }]) => [
      `device:${slot}`,
      `${lab}.${name}`,
    ]),
    ...Object.entries(given.input_resources ?? {}).map(([slot, name]) => [`resource:${slot}`, name]),
  ]) as Record<string, string>;
}

function taskPart(
  { devices, resources }: Declared,
  units: Readonly<Record<string, string>>,
  values: Record<string, Value>,
): Pick<TaskSubmission, 'devices' | 'input_resources' | 'input_parameters'> {
  return {
    devices: Object.fromEntries(
      devices.map(({ name }) => {
        const [lab = '', ...device] = (units[`device:${name}`] ?? '').split('.');
        return [name, { lab_name: lab, name: device.join('.') }];
      }),
    ),
    input_resources: Object.fromEntries(resources.map(({ name }) => [name, units[`resource:${name}`] ?? ''])),
    input_parameters: values,
  };
}

type Body = Readonly<Record<string, unknown>>;

function tryOut(kind: WorkKind, body: Body, signal: AbortSignal): Promise<DryRun> {
  if (kind === 'task')
    return client.tryOut('/api/tasks', { body: body as unknown as TaskSubmission, signal });
  if (kind === 'run')
    return client.tryOut('/api/protocols', { body: body as unknown as ProtocolRunSubmission, signal });
  return client.tryOut('/api/campaigns', { body: body as unknown as CampaignSubmission, signal });
}

function send(kind: WorkKind, body: Body): Promise<unknown> {
  if (kind === 'task') return client.post('/api/tasks', { body: body as unknown as TaskSubmission });
  if (kind === 'run')
    return client.post('/api/protocols', { body: body as unknown as ProtocolRunSubmission });
  return client.post('/api/campaigns', { body: body as unknown as CampaignSubmission });
}
