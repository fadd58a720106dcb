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
 */
export function Fields({ state }: { state: FieldsState }): ReactNode {
  return (
    <div className="form" ref={state.place}>
      {state.fields.map((field) => (
        <FieldOf
          key={field.name}
          field={field}
          text={state.texts.get(field.name) ?? ''}
          fault={state.faults.get(field.name)}
          onWrite={(text) => state.write(field.name, text)}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  field: Field;
  text: string;
  fault: string | undefined;
  onWrite(text: string): void;
}

function FieldOf(props: FieldProps): ReactNode {
  const words = useWords();
  const id = useId();
  const { field, fault } = props;
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.name}
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
