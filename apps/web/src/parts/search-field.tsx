import { useId, type ReactNode } from 'react';

/** A text that selects the records of a list. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}): ReactNode {
  return <Selecting type="search" {...{ label, value, onChange }} />;
}

/** A day that selects the records of a list, as `2026-11-20`; empty: any day. */
export function DayField(props: { label: string; value: string; onChange(value: string): void }): ReactNode {
  return <Selecting type="date" {...props} />;
}

function Selecting({
  type,
  label,
  value,
  onChange,
}: {
  type: 'search' | 'date';
  label: string;
  value: string;
  onChange(value: string): void;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
