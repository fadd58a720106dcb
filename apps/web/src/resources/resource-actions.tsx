import type { ResourceRecord } from '@lab/api-client';
import {
  declaredMetaOf,
  mayAct,
  metaChanges,
  metaFieldsOf,
  metaPatch,
  metaTextsOf,
  plainText,
  readFields,
  type Meta,
} from '@lab/web-model';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, TextField } from '../design/index.js';
import { Fields, useFields } from '../forms/index.js';
import { client, reasonOf, useLab, useMayAct } from '../lab/index.js';
import { useDefinition } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Changes } from './changes.js';

/** Buttons that change or reset the data of a resource. Each act says first what follows. */
export function ResourceActions({
  resource,
  onDone,
}: {
  resource: ResourceRecord;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const mayChange = useMayAct();
  const [asked, setAsked] = useState<'set' | 'reset'>();
  if (!mayAct(me, 'operator', resource.lab)) return null;
  const rest = {
    resource,
    onClose: () => setAsked(undefined),
    onDone: () => {
      onDone();
      setAsked(undefined);
    },
  };
  return (
    <>
      {(['set', 'reset'] as const).map((act) => (
        <Button key={act} disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsked(act)}>
          {words.say(`resource.${act}`)}
        </Button>
      ))}
      {asked === 'set' && <SetData {...rest} />}
      {asked === 'reset' && <ResetData {...rest} />}
    </>
  );
}

const noMeta: Meta = {};

interface Asked {
  resource: ResourceRecord;
  onClose(): void;
  onDone(): void;
}

/** What a person gives as reason, and whether they act although somebody has the resource. */
interface Ground {
  reason: string;
  force: boolean;
}

function SetData({ resource: shown, onClose, onDone }: Asked): ReactNode {
  const words = useWords();
  // The form keeps what it began with while tasks change the resource. It sends changed values alone.
  const [resource] = useState(shown);
  const definition = useDefinition('lab', resource.lab);
  return (
    <Dialog onClose={onClose} title={words.say('resource.set.title', { name: resource.name })}>
      {definition === undefined ? (
        <p role="status">{words.say('now.reading')}</p>
      ) : (
        <SetForm
          {...{ resource, onClose, onDone }}
          holder={shown.used_by ?? shown.held_by}
          declared={declaredMetaOf(definition?.definition, resource.name) ?? noMeta}
        />
      )}
    </Dialog>
  );
}

function SetForm({
  resource: { name, meta },
  holder,
  declared,
  onClose,
  onDone,
}: Asked & { holder: string | null; declared: Meta }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const fields = useMemo(
    () =>
      metaFieldsOf(meta, declared).map((field) => {
        const value = declared[field.name];
        const desc = value === undefined ? '' : words.say('resource.declared', { value: plainText(value) });
        return { ...field, desc };
      }),
    [meta, declared, words],
  );
  const state = useFields(fields);
  const { begin, texts } = state;
  useEffect(() => begin(metaTextsOf(fields, meta)), [begin, fields, meta]);
  const [ground, setGround] = useState<Ground>({ reason: '', force: false });
  const [failure, setFailure] = useState<string>();
  const read = readFields(fields, texts);
  const patch = metaPatch(meta, read.values);
  const isSame = Object.keys(patch).length === 0;
  const send = async (): Promise<void> => {
    if (state.read() === undefined) return setFailure(words.say('field.look'));
    if (ground.force && ground.reason.trim() === '') return setFailure(words.say('resource.reason.missing'));
    try {
      const path = { resource_name: name };
      await client.patch('/api/resources/{resource_name}', {
        path,
        body: { meta: patch, ...bodyOf(ground) },
      });
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: state.refused(error, 'meta') }));
    }
    return undefined;
  };
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p>{words.say(fields.length === 0 ? 'resource.set.none' : 'resource.set.hint')}</p>
      <Fields state={state} />
      <div role="status">
        {isSame ? (
          <p className="hint">{words.say('resource.set.same')}</p>
        ) : (
          <>
            <p>{words.say('resource.set.effect')}</p>
            <Changes
              changes={Object.entries(patch).map(([each, after]) => ({
                ...{ name: each, before: meta[each] },
                after: after ?? undefined,
              }))}
            />
          </>
        )}
      </div>
      <GroundFields holder={holder} ground={ground} onChange={setGround} />
      <Failure>{failure}</Failure>
      <div className="buttons">
        <Button
          type="submit"
          look="main"
          disabled={!mayChange || (isSame && read.faults.size === 0) || (holder !== null && !ground.force)}
        >
          {words.say('resource.set.do')}
        </Button>
        <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
      </div>
    </form>
  );
}

function ResetData({ resource, onClose, onDone }: Asked): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const { name, lab, meta } = resource;
  const holder = resource.used_by ?? resource.held_by;
  const definition = useDefinition('lab', lab);
  const declared = declaredMetaOf(definition?.definition, name);
  const changes = declared === undefined ? [] : metaChanges(meta, declared);
  const [ground, setGround] = useState<Ground>({ reason: '', force: false });
  const [failure, setFailure] = useState<string>();
  const send = async (): Promise<void> => {
    if (ground.force && ground.reason.trim() === '') return setFailure(words.say('resource.reason.missing'));
    try {
      const path = { resource_name: name };
      await client.post('/api/resources/{resource_name}/reset', { path, body: bodyOf(ground) });
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
    return undefined;
  };
  return (
    <Dialog onClose={onClose} title={words.say('resource.reset.title', { name })}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {definition === undefined ? (
          <p role="status">{words.say('now.reading')}</p>
        ) : declared === undefined ? (
          <p>{words.say('resource.reset.unknown')}</p>
        ) : changes.length === 0 ? (
          <p>{words.say('resource.reset.same')}</p>
        ) : (
          <div>
            <p>{words.say('resource.reset.effect')}</p>
            <Changes changes={changes} />
          </div>
        )}
        <GroundFields holder={holder} ground={ground} onChange={setGround} />
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button
            type="submit"
            look="main"
            disabled={!mayChange || definition === undefined || (holder !== null && !ground.force)}
          >
            {words.say('resource.reset.do')}
          </Button>
          <Button data-first onClick={onClose}>
            {words.say('stop.cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const bodyOf = ({ reason, force }: Ground): { reason?: string; force?: boolean } => ({
  ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  ...(force ? { force } : {}),
});

/** The reason of an act. To act although somebody has the resource, a person must say so and why. */
function GroundFields({
  holder,
  ground,
  onChange,
}: {
  holder: string | null;
  ground: Ground;
  onChange(ground: Ground): void;
}): ReactNode {
  const words = useWords();
  return (
    <>
      {holder !== null && (
        <label className="check">
          <input
            type="checkbox"
            checked={ground.force}
            onChange={({ target }) => onChange({ ...ground, force: target.checked })}
          />{' '}
          {words.say('resource.force', { holder })}
        </label>
      )}
      {holder !== null && ground.force && <p>{words.say('resource.force.effect')}</p>}
      <TextField
        label={words.say('resource.reason')}
        hint={words.say(holder === null ? 'resource.reason.hint' : 'resource.reason.must')}
        value={ground.reason}
        maxLength={2_000}
        onChange={(reason) => onChange({ ...ground, reason })}
      />
    </>
  );
}
