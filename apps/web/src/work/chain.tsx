import type { ProtocolRunRecord } from '@lab/api-client';
import { criticalChain, edgesOf, type ChainPart, type TimedTask } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { Section } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { useDefinition } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** The tasks that decide when a run ends: how long each took, and how long it waited for what came before. */
export function useChain({ type, tasks }: Pick<ProtocolRunRecord, 'type' | 'tasks'>): readonly ChainPart[] {
  const definition = useDefinition('protocol', type);
  const now = useNow(10_000);
  return useMemo(() => {
    const timed = tasks.flatMap(
      ({ name, started_at: begin, ended_at: end, devices, input_resources: resources }): TimedTask[] =>
        begin === null
          ? []
          : [
              {
                name,
                start: Date.parse(begin),
                end: end === null ? Math.max(now, Date.parse(begin)) : Date.parse(end),
                units: [
                  ...Object.values(devices).map((device) => `${device.lab_name}.${device.name}`),
                  ...Object.values(resources).map((resource) => resource.name),
                ],
              },
            ],
    );
    const names = tasks.map(({ name }) => name);
    return criticalChain(timed, edgesOf(definition?.definition, names));
  }, [tasks, definition, now]);
}

export function Chain({ run, chain }: { run: string; chain: readonly ChainPart[] }): ReactNode {
  const words = useWords();
  if (chain.length < 2) return null;
  return (
    <Section title={words.say('run.chain')}>
      <p className="hint">{words.say('run.chain.hint')}</p>
      <ol className="rows">
        {chain.map(({ name, waitedMs, tookMs }) => (
          <li key={name} className="row">
            <Link to="/runs/$name/tasks/$task" params={{ name: run, task: name }} className="name">
              {name}
            </Link>
            <span className="hint">{words.say('work.took', { age: words.duration(tookMs) })}</span>
            {waitedMs >= 1_000 && (
              <span>{words.say('run.chain.waited', { age: words.duration(waitedMs) })}</span>
            )}
          </li>
        ))}
      </ol>
      <p>
        <Link to="/schedule" search={{ chain: true, run }}>
          {words.say('run.chain.schedule')}
        </Link>
      </p>
    </Section>
  );
}
