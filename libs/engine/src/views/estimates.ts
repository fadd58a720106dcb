import { awaitsPerson, isTerminal } from '@lab/contracts';
import type { CampaignRow, ProtocolRunRow } from '../rows/index.js';
import { drainBefore } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';
import type { Expectations } from './forecast.js';

/** Number of ended runs of a campaign from which its pace is derived. */
const fewestRuns = 3;

/** In milliseconds since 1970; null: the run waits for a person, or the policy has not planned all of it. */
export function runCompletion(
  state: WorkingState,
  expectations: Expectations,
  run: ProtocolRunRow,
): number | null {
  if (isTerminal(run.state)) return run.endedAt;
  if (awaitsPerson(run.state) || state.isPaused(run) || drainBefore(state, run) !== undefined) return null;
  const open = state.tasksOf(run.id).filter((task) => !isTerminal(task.state));
  return expectations.lastEnd(open.map((task) => task.id));
}

/**
 * When the last run of a campaign is expected to end, in milliseconds since 1970; null: unknown.
 *
 * With a plan: the end of the last current run, then the coming runs, each with the average duration of the current
 * ones, as many concurrently as allowed. Without a plan: the pace of the ended runs, if there are at least 3.
 */
export function campaignCompletion(
  state: WorkingState,
  expectations: Expectations,
  campaign: CampaignRow,
  now: number,
): number | null {
  if (isTerminal(campaign.state)) return campaign.endedAt;
  if (awaitsPerson(campaign.state) || campaign.pausedAt !== null || campaign.ending !== null) return null;
  if (state.drainOver(campaign.id) !== undefined) return null;
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
