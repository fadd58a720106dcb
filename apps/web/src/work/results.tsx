import type { CampaignRecord, Trial } from '@lab/api-client';
import {
  bestSoFar,
  frontOf,
  goalsOf,
  isMeasured,
  plainText,
  type Goal,
  type LabEvent,
  type Measured,
} from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, type ReactNode } from 'react';
import { LongTable, Section, State } from '../design/index.js';
import { client, readPages, useRecord } from '../lab/index.js';
import { Chart, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** How many trials are read, the newest. */
const most = 5_000;

/** What a campaign with an optimizer has found so far: the best, how it came there, and each trial. */
export function Results({ campaign }: { campaign: CampaignRecord }): ReactNode {
  const words = useWords();
  const { name } = campaign;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const path = { campaign_name: name };
      const sort = '-number' as const;
      const { items, next_cursor: next } = await readPages(
        (part) =>
          client.get('/api/campaigns/{campaign_name}/trials', { path, query: { ...part, sort }, signal }),
        most,
      );
      return { trials: items.reverse(), isCut: next !== null };
    },
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) => type.startsWith('protocol_run.') && body['campaign'] === name,
    [name],
  );
  const { record, failure } = useRecord(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  const { trials, isCut } = record;
  const kept = campaign.optimizer;
  const goals = goalsOf(kept?.arguments, kept?.output_names ?? []);
  return (
    <Section title={words.say('campaign.results')}>
      {isCut && <p className="hint">{words.say('campaign.results.cut', { count: most })}</p>}
      <Found trials={trials.filter(isMeasured)} goals={goals} />
      <Trials trials={trials} />
      <p>
        <a href={`/api/campaigns/${encodeURIComponent(name)}/runs.csv`} download>
          {words.say('campaign.csv')}
        </a>
      </p>
    </Section>
  );
}

function Found({ trials, goals }: { trials: readonly Measured[]; goals: readonly Goal[] }): ReactNode {
  const words = useWords();
  const front = useMemo(() => new Set(frontOf(trials, goals)), [trials, goals]);
  if (trials.length === 0) return <p className="hint">{words.say('campaign.results.none')}</p>;
  const [first, second] = goals;
  if (first === undefined) return null;
  if (second === undefined) {
    const [best] = front;
    return (
      <>
        {best !== undefined && (
          <p>
            {words.say('campaign.best.of', {
              output: first.output,
              value: plainText(best.outputs[first.output]),
              run: best.run,
            })}
          </p>
        )}
        <ProgressChart trials={trials} goal={first} />
      </>
    );
  }
  return (
    <>
      <p>{words.say('campaign.front.of', { count: front.size })}</p>
      <FrontChart trials={trials} front={front} goals={[first, second]} />
      {goals.map((goal) => (
        <ProgressChart key={goal.output} trials={trials} goal={goal} />
      ))}
    </>
  );
}

function ProgressChart({ trials, goal }: { trials: readonly Measured[]; goal: Goal }): ReactNode {
  const words = useWords();
  const { output } = goal;
  const best = bestSoFar(trials, goal);
  const steps = trials.flatMap(({ number }, at) => {
    const value = best[at];
    const before = at === 0 ? undefined : best[at - 1];
    if (value === undefined) return [];
    // The best stays until a trial betters it, so that the line is a staircase.
    return [...(before === undefined ? [] : [{ x: number, y: before }]), { x: number, y: value }];
  });
  return (
    <Chart
      label={words.say('campaign.chart.progress', { output })}
      xName={words.say('campaign.result.run')}
      yName={output}
      line={steps}
      points={trials.flatMap(({ number, run, outputs }) => {
        const value = outputs[output];
        return value === undefined ? [] : [{ x: number, y: value, title: `${run}: ${plainText(value)}` }];
      })}
    />
  );
}

function FrontChart({
  trials,
  front,
  goals: [first, second],
}: {
  trials: readonly Measured[];
  front: ReadonlySet<Measured>;
  goals: readonly [Goal, Goal];
}): ReactNode {
  const words = useWords();
  const points = trials.flatMap((trial) => {
    const { run, outputs } = trial;
    const [x, y] = [outputs[first.output], outputs[second.output]];
    if (x === undefined || y === undefined) return [];
    return [{ x, y, title: `${run}: ${plainText(x)}, ${plainText(y)}`, isMarked: front.has(trial) }];
  });
  return (
    <Chart
      label={words.say('campaign.chart.front', { x: first.output, y: second.output })}
      xName={first.output}
      yName={second.output}
      line={points.filter(({ isMarked }) => isMarked).sort((a, b) => a.x - b.x)}
      points={points}
    />
  );
}

function Trials({ trials }: { trials: readonly Trial[] }): ReactNode {
  const words = useWords();
  const newest = useMemo(() => trials.toReversed(), [trials]);
  if (trials.length === 0) return null;
  const inputs = columnsOf(trials, ({ inputs: values }) => values);
  const outputs = columnsOf(trials, ({ outputs: values }) => values ?? {});
  return (
    <LongTable
      label={words.say('campaign.results')}
      columns={[
        words.say('campaign.result.run'),
        words.say('work.state'),
        words.say('campaign.result.source'),
        ...outputs,
        ...inputs,
      ]}
      items={newest}
      keyOf={({ number }) => String(number)}
    >
      {({ run, state, source, inputs: given, outputs: found }) => (
        <>
          <th scope="row">
            <Link to="/runs/$name" params={{ name: run }}>
              {run}
            </Link>
          </th>
          <td>
            <State tone={state === 'failed' ? 'alarm' : state === 'measured' ? 'good' : 'busy'}>
              {words.state(state)}
            </State>
          </td>
          <td>{words.say(`campaign.result.source.${source}`)}</td>
          {outputs.map((name) => (
            <td key={`output ${name}`}>{plainText(found?.[name] ?? '')}</td>
          ))}
          {inputs.map((name) => (
            <td key={`input ${name}`}>{plainText(given[name] ?? '')}</td>
          ))}
        </>
      )}
    </LongTable>
  );
}

const columnsOf = (
  trials: readonly Trial[],
  of: (trial: Trial) => Readonly<Record<string, unknown>>,
): string[] => [...new Set(trials.flatMap((trial) => Object.keys(of(trial))))];
