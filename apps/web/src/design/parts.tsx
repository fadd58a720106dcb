import type { Tone } from '@lab/web-model';
import { useId, useLayoutEffect, useRef, type ComponentProps, type ReactNode } from 'react';

/** A sign for each tone, because a color alone tells nothing to many people. */
const signs: Readonly<Record<Tone, string>> = {
  alarm: '\u25B2',
  warning: '\u25B3',
  busy: '\u25CF',
  good: '\u2713',
  idle: '\u2013',
  unknown: '?',
};

/** A state as a sign, a word and a color. */
export function State({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return (
    <span className={`state tone-${tone}`}>
      <span aria-hidden="true" className="sign">
        {signs[tone]}
      </span>
      {children}
    </span>
  );
}

export type ButtonLook = 'plain' | 'main' | 'danger' | 'quiet';

export function Button({
  look = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { look?: ButtonLook }): ReactNode {
  return <button type="button" {...rest} className={`button look-${look} ${className}`} />;
}

/**
 * A dialog for as long as it is on the page. The browser keeps the focus inside, closes it with Escape, and gives the focus back.
 * The element with `data-first` gets the focus first.
 */
export function Dialog({
  onClose,
  title,
  look = 'plain',
  children,
}: {
  onClose(): void;
  title: string;
  look?: 'plain' | 'danger';
  children: ReactNode;
}): ReactNode {
  const id = useId();
  const place = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={place}
      className={`dialog look-${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // A click beside the content hits the dialog itself.
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-content">
        <h2 id={id} className="dialog-title">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

/** A part of a page with a heading. */
export function Section({ title, children }: { title: ReactNode; children: ReactNode }): ReactNode {
  return (
    <section className="section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Why an act failed, read aloud at once. */
export function Failure({ children }: { children: string | undefined }): ReactNode {
  return <div role="alert">{children !== undefined && <p className="loud">{children}</p>}</div>;
}

/** A line of text with its label. */
export function TextField({
  label,
  hint,
  value,
  onChange,
  ...rest
}: Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'> & {
  label: string;
  hint: string;
  value: string;
  onChange(value: string): void;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        autoComplete="off"
        {...rest}
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

/** A choice among a few, as the browser shows it. */
export function Choice({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Elements `option` and `optgroup`. */
  children: ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {children}
      </select>
    </div>
  );
}

/** How far something is. A bar for the eye, and a text beside it for everybody. */
export function Bar({
  share,
  tone = 'busy',
  label,
}: {
  share: number | undefined;
  tone?: Tone;
  label: string;
}): ReactNode {
  return (
    <progress
      className={`bar tone-${tone}`}
      aria-label={label}
      max={1}
      {...(share === undefined ? {} : { value: share })}
    />
  );
}
