import type { AttentionRecord, AttentionResolution } from '@lab/api-client';
import type { WordKey } from '@lab/web-model';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type ReactNode } from 'react';
import { Button, Failure, TextField } from '../design/index.js';
import { Fields, useFields } from '../forms/index.js';
import { client, useLab, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { ClaimBox, useClaim } from './claim.js';
import { useOutputs, type Outputs } from './outputs.js';

/** The possible decisions about an item, each with what it leads to, and what the chosen one needs. */
export function Decision({ item }: { item: AttentionRecord }): ReactNode {
  const words = useWords();
  const outputs = useOutputs(item);
  if (outputs === undefined) return <p className="hint">{words.say('now.reading')}</p>;
  return <Choices item={item} outputs={outputs} />;
}

function Choices({ item, outputs }: { item: AttentionRecord; outputs: Outputs }): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const { live } = useLab();
  const mayChange = useMayAct();
  const id = useId();
  const [action, setAction] = useState<AttentionResolution['action']>();
  const [note, setNote] = useState('');
  const [failure, setFailure] = useState<string>();
  const form = useFields(outputs.fields);
  const claiming = useClaim(item);
  const takesOutputs = action === 'completed' && item.kind === 'task';
  const decide = async (): Promise<void> => {
    if (action === undefined) return;
    setFailure(undefined);
    const given = takesOutputs ? form.read() : {};
    if (given === undefined) return;
    try {
      await client.post('/api/attention/{id}/resolve', {
        path: { id: item.id },
        body: {
          action,
          ...(note.trim() === '' ? {} : { note: note.trim() }),
          ...(takesOutputs ? outputs.bodyOf(given) : {}),
        },
      });
      live.readAgain(['attention']);
      await navigate({ to: '/attention' });
    } catch (error) {
      setFailure(words.say('attention.failed', { reason: form.refused(error, '') }));
    }
  };
  return (
    <form
      className="form"
      onChange={claiming.touch}
      onSubmit={(event) => {
        event.preventDefault();
        void decide();
      }}
    >
      <ClaimBox claiming={claiming} />
      <fieldset className="options">
        <legend className="hidden">{words.say('attention.decide')}</legend>
        {item.choices.map((choice) => (
          <label key={choice.action} className="option">
            <input
              type="radio"
              name={id}
              checked={action === choice.action}
              onChange={() => setAction(choice.action)}
            />
            <span>
              <strong>{words.say(`action.${choice.action}` satisfies WordKey)}</strong>
              <span className="hint">{choice.effect}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {takesOutputs && (
        <>
          {outputs.unread !== undefined && (
            <p className="hint">{words.say('attention.outputs.unread', { reason: outputs.unread })}</p>
          )}
          {outputs.fields.length === 0 && <p className="hint">{words.say('attention.outputs.none')}</p>}
          <Fields
            state={form}
            legendOf={
              outputs.unread === undefined ? (group) => words.say(`outputs.${group}` as WordKey) : undefined
            }
          />
        </>
      )}
      <TextField
        label={words.say('attention.note')}
        hint={words.say('attention.note.hint')}
        value={note}
        maxLength={2_000}
        onChange={setNote}
      />
      <Failure>{failure}</Failure>
      <div className="buttons">
        <Button type="submit" look="main" disabled={action === undefined || !mayChange}>
          {words.say('attention.do', {
            action: action === undefined ? '...' : words.say(`action.${action}` satisfies WordKey),
          })}
        </Button>
      </div>
    </form>
  );
}
