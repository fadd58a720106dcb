import type { ReactNode } from 'react';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** From when to when work ran, and for how long; nothing before it starts. */
export function Span({
  work: { started_at: begin, ended_at: end },
}: {
  work: { started_at: string | null; ended_at: string | null };
}): ReactNode {
  const words = useWords();
  const now = useNow();
  if (begin === null) return null;
  const began = Date.parse(begin);
  const since = words.time(began, now);
  if (end === null) return <p>{`${words.say('task.since', { time: since })}, ${words.age(now - began)}`}</p>;
  const ended = Date.parse(end);
  const age = words.duration(ended - began);
  return <p>{words.say('task.from_to', { from: since, to: words.time(ended, now), age })}</p>;
}
