import { ProblemError } from '@lab/api-client';
import { faultsByField, readFields, type Field, type Texts, type Value } from '@lab/web-model';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { reasonOf } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { faultWords } from './words.js';

/** What a person has written into the fields of a form, and what is wrong with it. */
export interface FieldsState {
  fields: readonly Field[];
  texts: Texts;
  /** What is wrong, in sentences, by the name of the field. */
  faults: ReadonlyMap<string, string>;
  /** The element around the fields. The first wrong field in it gets the focus. */
  place: RefObject<HTMLDivElement | null>;
  write(name: string, text: string): void;
  /** Replaces all texts, for example to begin with given values. */
  begin(texts: Texts): void;
  /**
   * @returns the values by name, without those of empty optional fields; undefined: a field is wrong. Then each wrong field says
   *   what is wrong, and the first gets the focus
   */
  read(): Record<string, Value> | undefined;
  /**
   * Shows at the fields what the service refused.
   *
   * @param path of the values in the body of the request; empty: the body itself
   * @returns a sentence for the form: what does not concern a field, or that there are marked fields
   */
  refused(error: unknown, path: string): string;
}

const nothing: ReadonlyMap<string, string> = new Map();

/** @param fields must stay the same list, or the texts would fit other fields */
export function useFields(fields: readonly Field[]): FieldsState {
  const words = useWords();
  const place = useRef<HTMLDivElement>(null);
  const [texts, setTexts] = useState<Texts>(nothing);
  const [faults, setFaults] = useState(nothing);
  const [found, setFound] = useState(0);
  useEffect(() => {
    if (found > 0) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [found]);
  const mark = (wrong: ReadonlyMap<string, string>): void => {
    setFaults(wrong);
    if (wrong.size > 0) setFound((times) => times + 1);
  };
  return {
    ...{ fields, texts, faults, place },
    write(name, text) {
      setTexts((before) => new Map(before).set(name, text));
      setFaults((before) => new Map([...before].filter(([each]) => each !== name)));
    },
    begin: useCallback((given: Texts) => {
      setTexts(given);
      setFaults(nothing);
    }, []),
    read() {
      const { values, faults: wrong } = readFields(fields, texts);
      mark(
        new Map(
          fields.flatMap((field) => {
            const fault = wrong.get(field.name);
            return fault === undefined ? [] : [[field.name, faultWords(words, field, fault)]];
          }),
        ),
      );
      return wrong.size === 0 ? values : undefined;
    },
    refused(error, path) {
      const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
      const { fields: wrong, others } = faultsByField(errors, fields, path);
      mark(wrong);
      if (wrong.size === 0) return reasonOf(error);
      const rest = others.map(({ path: where, message }) => `${where}: ${message}.`);
      return [words.say('field.look'), ...rest].join(' ');
    },
  };
}
