import type { Field } from '@lab/web-model';
import { useId, type ReactNode } from 'react';
import { useWords } from '../settings/index.js';
import type { FieldsState } from './use-fields.js';
import { hintWords, valueWords } from './words.js';

/**
 * A field for each declared parameter, with its unit, bounds and meaning. The text of a list and of an object is checked like that
 * of a number.
 *
 * @param state of `useFields`
 * @param legendOf names are `GROUP.NAME`: the fields of each group stand together under this legend. undefined: there are no groups
 */
export function Fields({
  state,
  legendOf,
}: {
  state: FieldsState;
  legendOf?: ((group: string) => string) | undefined;
}): ReactNode {
  const show = (field: Field, label: string): ReactNode => (
    <FieldOf
      key={field.name}
      {...{ field, label }}
      text={state.texts.get(field.name) ?? ''}
      fault={state.faults.get(field.name)}
      onWrite={(text) => state.write(field.name, text)}
    />
  );
  return (
    <div className="form" ref={state.place}>
      {legendOf !== undefined ? (
        [...groupsOf(state.fields)].map(([group, fields]) => (
          <fieldset key={group} className="fields">
            <legend>{legendOf(group)}</legend>
            {fields.map((field) => show(field, field.name.slice(group.length + 1)))}
          </fieldset>
        ))
      ) : (
        <div className="fields">{state.fields.map((field) => show(field, field.name))}</div>
      )}
    </div>
  );
}

/** Names of groups have no dot. */
function groupsOf(fields: readonly Field[]): Map<string, Field[]> {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const group = field.name.slice(0, field.name.indexOf('.'));
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  return groups;
}

interface FieldProps {
  field: Field;
  label: string;
  text: string;
  fault: string | undefined;
  onWrite(text: string): void;
}

function FieldOf(props: FieldProps): ReactNode {
  const words = useWords();
  const id = useId();
  const { field, fault, label } = props;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {field.unit !== undefined && <span className="hint"> {field.unit}</span>}
      </label>
      <Control {...props} id={id} />
      <p className="hint" id={`${id}-hint`}>
        {hintWords(words, field)}
      </p>
      <p className="fault" id={`${id}-fault`}>
        {fault}
      </p>
    </div>
  );
}

function Control({ id, field, text, fault, onWrite }: FieldProps & { id: string }): ReactNode {
  const words = useWords();
  const shared = {
    ...{ id, value: text, 'aria-required': field.isRequired, 'aria-invalid': fault !== undefined },
    'aria-describedby': `${id}-hint ${id}-fault`,
    onChange: ({ target }: { target: { value: string } }) => onWrite(target.value),
  };
  if (field.kind === 'choice' || field.kind === 'bool') {
    const options: [string, string][] =
      field.kind === 'bool'
        ? [
            ['true', words.say('field.yes')],
            ['false', words.say('field.no')],
          ]
        : field.choices.map((choice, index) => [String(index), valueWords(words, choice)]);
    return (
      <select {...shared}>
        <option value="">{field.isRequired ? words.say('field.choose') : ''}</option>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  const written = { ...shared, autoComplete: 'off', spellCheck: false };
  // A line of text would lose the line breaks of a text that somebody pastes.
  if (field.kind === 'int' || field.kind === 'float' || field.isSecret)
    return <input {...written} type={field.isSecret ? 'password' : 'text'} />;
  return <textarea {...written} rows={field.kind === 'str' ? 1 : 3} />;
}
