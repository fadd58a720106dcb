import type { CampaignRecord } from '@lab/api-client';
import { workTone, type LabEvent } from '@lab/web-model';
import { useCallback, type ReactNode } from 'react';
import { Rows, Section, State } from '../design/index.js';
import { client, readPages, usePages, useRecord } from '../lab/index.js';
import { More, Progress, RunFacts, Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { Optimizer } from './optimizer.js';
import { Results } from './results.js';
import { WorkActions } from './work-actions.js';

/** One campaign: how far it is, and its runs. */
export function Campaign({ name }: { name: string }): ReactNode {
  const words = useWords();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.get('/api/campaigns/{campaign_name}', { path: { campaign_name: name }, signal }),
    [name],
  );
  const concerns = useCallback(
    ({ type, body }: LabEvent) =>
      type.startsWith('campaign.')
        ? body['name'] === name
        : body['campaign'] === name && !type.startsWith('attempt'),
    [name],
  );
  const { record: campaign, failure, readAgain } = useRecord(load, concerns);
  if (campaign === undefined) return <Unread reason={failure} />;
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
        <Runs campaign={name} concerns={concerns} />
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

/** The runs of a campaign, the newest first. @param concerns which events are about the campaign */
function Runs({
  campaign,
  concerns,
}: {
  campaign: string;
  concerns: (event: LabEvent) => boolean;
}): ReactNode {
  const load = useCallback(
    (count: number, signal: AbortSignal) =>
      readPages(
        (part) =>
          client.get('/api/campaigns/{campaign_name}/runs', {
            path: { campaign_name: campaign },
            query: { ...part, sort: '-created_at' },
            signal,
          }),
        count,
      ),
    [campaign],
  );
  const { record, failure, more, portion } = usePages(load, concerns);
  if (record === undefined) return <Unread reason={failure} />;
  return (
    <>
      {failure !== undefined && <Unread reason={failure} />}
      <Rows items={record.items} keyOf={({ id }) => id}>
        {(run) => (
          <RunFacts run={run}>
            {run.reason !== null && <span className="hint">{run.reason.message}</span>}
          </RunFacts>
        )}
      </Rows>
      <More page={record} onMore={more} portion={portion} />
    </>
  );
}
