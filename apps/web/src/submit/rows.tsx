import { csvOf, tableOf } from '@lab/web-model';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { client } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { Refused } from './dry-run.js';

type Parameters = Record<string, Record<string, unknown>>;

/** Rows that a person has pasted, and what the service understands of them. */
export interface RowsState {
  text: string;
  write(text: string): void;
  /** The parameters of each run; undefined: there are no rows, or they are wrong. */
  found: Parameters[] | undefined;
  /** Why the service does not understand them. */
  failure: unknown;
  /** There are rows that the service has not read yet, or does not understand. */
  isOpen: boolean;
}

/** The most that the service reads. */
const mostRows = 100_001;
const pauseMs = 600;

/**
 * @param protocol whose parameters the rows have
 * @param first the rows to begin with
 */
export function useRows(protocol: string, first: string): RowsState {
  const [text, setText] = useState(first);
  const [found, setFound] = useState<Parameters[]>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    setFound(undefined);
    setFailure(undefined);
    if (text.trim() === '') return undefined;
    const end = new AbortController();
    const timer = setTimeout(() => {
      // A spreadsheet gives its cells separated by tabs, which the service does not read.
      const csv = csvOf(tableOf(text, mostRows));
      client
        .post('/api/protocols/{protocol}/parameters', { path: { protocol }, csv, signal: end.signal })
        .then(
          ({ protocol_run_parameters: rows }) => setFound(rows as Parameters[]),
          (error: unknown) => {
            if (!end.signal.aborted) setFailure(error);
          },
        );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text, protocol]);
  const write = (next: string): void => {
    // What was understood belongs to the text before.
    setFound(undefined);
    setText(next);
  };
  return { text, write, found, failure, isOpen: text.trim() !== '' && found === undefined };
}

export function Rows({ rows, example }: { rows: RowsState; example: readonly string[] }): ReactNode {
  const words = useWords();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{words.say('submit.rows.label')}</label>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        value={rows.text}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => rows.write(target.value)}
      />
      <p className="hint" id={`${id}-hint`}>
        {words.say('submit.rows.hint', { example: example.join(', ') })}
      </p>
      <div role="status">
        {rows.found !== undefined && <p>{words.say('submit.rows.read', { count: rows.found.length })}</p>}
        {rows.failure !== undefined && <Refused error={rows.failure} />}
      </div>
    </div>
  );
}
