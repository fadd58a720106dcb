import { awaitsPerson, isTerminal } from '@lab/contracts';
import type { CampaignRow, ProtocolRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import type { Expectations } from './forecast.js';

/** Ended runs of a campaign after which its pace says something. */
const fewestRuns = 3;

/**
 * When the last task of a run will have ended, in milliseconds since 1970; null: it waits for people, or the policy has not
 * planned all of it.
 */
export function runCompletion(
  state: WorkingState,
  expectations: Expectations,
  run: ProtocolRunRow,
): number | null {
  if (isTerminal(run.state)) return run.endedAt;
  if (awaitsPerson(run.state) || state.isPaused(run)) return null;
  const open = state.tasksOf(run.id).filter((task) => !isTerminal(task.state));
  return expectations.lastEnd(open.map((task) => task.id));
}

/**
 * When the last run of a campaign will have ended, in milliseconds since 1970; null: not known.
 *
 * With a plan: the end of the last run under way, and then the runs to come, each taking as long as those under way on
 * average, as many at a time as the campaign may have. Without one: at the pace at which runs have ended so far, if at
 * least 3 have.
 */
export function campaignCompletion(
  state: WorkingState,
  expectations: Expectations,
  campaign: CampaignRow,
  now: number,
): number | null {
  if (isTerminal(campaign.state)) return campaign.endedAt;
  if (awaitsPerson(campaign.state) || campaign.pausedAt !== null || campaign.ending !== null) return null;
  if (campaign.maxProtocolRuns === 0) return null;
  const open = state.openRunsOf(campaign.id);
  const ends = open.map((run) => runCompletion(state, expectations, run));
  const known = ends.filter((end) => end !== null);
  const toCome = campaign.maxProtocolRuns - campaign.runsStarted;
  if (known.length === ends.length && known.length > 0) {
    const last = Math.max(...known);
    if (toCome <= 0) return last;
    const spans = open.map((run, index) => (known[index] ?? now) - (run.startedAt ?? now));
    const span = spans.reduce((sum, each) => sum + each, 0) / spans.length;
    return last + (span * toCome) / Math.max(1, Math.min(campaign.maxConcurrentProtocolRuns, toCome));
  }
  const ended = campaign.runsStarted - open.length;
  if (ended < fewestRuns || campaign.startedAt === null) return null;
  return now + ((now - campaign.startedAt) / ended) * (toCome + open.length);
}
