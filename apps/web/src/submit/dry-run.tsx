import { ProblemError, type SubmissionEstimate } from '@lab/api-client';
import { useEffect, useState, type ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { reasonOf, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** What the service says of a submission that it does not store. */
export interface DryRun {
  estimate: SubmissionEstimate;
  warnings: readonly string[];
}

type Answer = { kind: 'doing' } | { kind: 'sound'; run: DryRun } | { kind: 'refused'; error: unknown };

/** Time without a change after which the service is asked, in milliseconds. */
const pauseMs = 600;
/** A start that is nearer than this is at once, in milliseconds. */
const soonMs = 5_000;

/**
 * Asks the service what would happen, whenever the submission has changed.
 *
 * @param text the submission, by which changes are known; undefined: a field has no sound value
 * @param tryOut must stay the same function for the same text
 */
export function useDryRun(
  text: string | undefined,
  tryOut: (signal: AbortSignal) => Promise<DryRun>,
): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    setAnswer(text === undefined ? undefined : { kind: 'doing' });
    if (text === undefined) return undefined;
    const end = new AbortController();
    const timer = setTimeout(() => {
      tryOut(end.signal).then(
        (run) => setAnswer({ kind: 'sound', run }),
        (error: unknown) => {
          if (!end.signal.aborted) setAnswer({ kind: 'refused', error });
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
    // The text says whether the submission has changed; the function is made anew with each drawing.
  }, [text]);
  return answer;
}

export function Check({ answer }: { answer: Answer | undefined }): ReactNode {
  const words = useWords();
  return (
    <Section title={words.say('submit.check')}>
      <div role="status" className="form">
        {answer === undefined && <p className="hint">{words.say('submit.check.open')}</p>}
        {answer?.kind === 'doing' && <p className="hint">{words.say('submit.check.doing')}</p>}
        {answer?.kind === 'refused' && <Refused error={answer.error} />}
        {answer?.kind === 'sound' && <Sound run={answer.run} />}
      </div>
    </Section>
  );
}

export function Refused({ error }: { error: unknown }): ReactNode {
  const words = useWords();
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  return (
    <>
      <p>
        <State tone="alarm">{words.say('submit.check.failed')}</State> {reasonOf(error)}
      </p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message, hint }) => (
            <li key={`${path} ${message}`}>
              <strong>{path}</strong>: {message}
              {hint !== undefined && <span className="hint"> {hint}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Sound({ run: { estimate, warnings } }: { run: DryRun }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { starts_at: start, ends_at: end, reason } = estimate;
  return (
    <>
      <p>
        <State tone="good">{words.say('submit.check.sound')}</State>
      </p>
      {start !== null && (
        <p>
          {Date.parse(start) - now < soonMs
            ? words.say('submit.check.starts.now')
            : words.say('submit.check.starts', { time: words.time(Date.parse(start), now) })}{' '}
          {end !== null && words.say('submit.check.ends', { time: words.time(Date.parse(end), now) })}
        </p>
      )}
      {reason !== null && <p>{words.say('submit.check.ends.unknown', { reason })}</p>}
      {warnings.map((warning) => (
        <p key={warning}>
          <State tone="warning">{warning}</State>
        </p>
      ))}
    </>
  );
}
