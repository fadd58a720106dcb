import type { Tone } from '@lab/web-model';
import { Dialog as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

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

/** A dialog that takes the focus and gives it back. */
export function Dialog({
  open,
  onClose,
  title,
  look = 'plain',
  children,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  look?: 'plain' | 'danger';
  children: ReactNode;
}): ReactNode {
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="veil" />
        <Radix.Content className={`dialog look-${look}`} aria-describedby={undefined}>
          <Radix.Title className="dialog-title">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
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
