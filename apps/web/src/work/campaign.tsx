import type { CampaignRecord, ProtocolRunSummary } from '@lab/api-client';
import { workTone, type LabEvent } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { Section, State } from '../design/index.js';
import { client, useRecord } from '../lab/index.js';
import { Progress, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Optimizer } from './optimizer.js';
import { Results } from './results.js';
import { WorkActions } from './work-actions.js';

/** How many runs of a campaign are shown, the newest first. */
const mostRuns = 100;

/** One campaign: how far it is, and its runs. */
export function Campaign({ name }: { name: string }): ReactNode {
  const words = useWords();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const path = { campaign_name: name };
      const query = { limit: mostRuns, sort: '-created_at' } as const;
      const [campaign, runs] = await Promise.all([
        client.get('/api/campaigns/{campaign_name}', { path, signal }),
        client.get('/api/campaigns/{campaign_name}/runs', { path, query, signal }),
      ]);
      return { campaign, runs: runs.items };
    },
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('campaign.')
        ? body['name'] === name
        : body['campaign'] === name && !type.startsWith('attempt'),
    [name],
  );
  const { record, failure, readAgain } = useRecord(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  const { campaign, runs } = record;
  return (
    <>
      <h1>{name}</h1>
      {failure !== undefined && <Unread reason={failure} />}
      <CampaignHead campaign={campaign} />
      <WorkActions kind="campaign" work={campaign} onDone={readAgain} />
      {campaign.optimize && (
        <>
          <Results campaign={campaign} />
          <Optimizer campaign={campaign} />
        </>
      )}
      <Section title={words.say('work.runs')}>
        {campaign.protocol_runs_started > runs.length && (
          <p className="hint">
            {words.say('work.runs.newest', { count: runs.length, all: campaign.protocol_runs_started })}
          </p>
        )}
        <ul className="rows">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      </Section>
    </>
  );
}

function CampaignHead({ campaign }: { campaign: CampaignRecord }): ReactNode {
  const words = useWords();
  return (
    <div className={`headline tone-${workTone(campaign.state)}`}>
      <p>
        <State tone={workTone(campaign.state)}>{words.state(campaign.state)}</State>{' '}
        {words.say('run.of', { protocol: campaign.protocol })},{' '}
        {words.say('work.of', { owner: campaign.owner })}
      </p>
      <Progress campaign={campaign} />
      {campaign.reason !== null && <p>{campaign.reason.message}</p>}
      {campaign.optimizer?.failure != null && <p className="loud">{campaign.optimizer.failure.message}</p>}
    </div>
  );
}

function RunRow({ run }: { run: ProtocolRunSummary }): ReactNode {
  const words = useWords();
  return (
    <li className="row">
      <Link to="/runs/$name" params={{ name: run.name }} className="name">
        {run.name}
      </Link>
      <State tone={workTone(run.state)}>{words.state(run.state)}</State>
      {run.reason !== null && <span className="hint">{run.reason.message}</span>}
    </li>
  );
}
