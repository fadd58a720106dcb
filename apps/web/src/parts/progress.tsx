import type { CampaignSummary } from '@lab/api-client';
import { progressOf } from '@lab/web-model';
import type { ReactNode } from 'react';
import { Bar } from '../design/index.js';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** How far a campaign is, and when it is expected to end: as a bar and in words. */
export function Progress({ campaign }: { campaign: CampaignSummary }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  const { done, failed, total, share, endsAt } = progressOf(campaign);
  const runs =
    total === undefined
      ? words.say('campaign.runs.endless', { done })
      : words.say('campaign.runs', { done, total });
  return (
    <>
      <Bar share={share} label={`${campaign.name}: ${runs}`} />
      <span>
        {runs}
        {failed > 0 && `, ${words.say('campaign.failed', { count: failed })}`},{' '}
        {endsAt === undefined
          ? words.say('campaign.eta.unknown')
          : words.say('campaign.eta', { time: words.time(endsAt, now) })}
      </span>
    </>
  );
}
