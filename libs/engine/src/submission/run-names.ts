import { isTerminal, ServiceError } from '@lab/contracts';
import type { CampaignRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** Name of the n-th run of a campaign; n counts from 1. */
export function campaignRunName(campaign: string, n: number): string {
  return `${campaign}_run_${n}`;
}

/** Greatest number of runs of any campaign, because a campaign reserves the names of its coming runs. */
const mostRuns = 100_000;

/** Greatest number of runs of a campaign. */
export function runLimit({ maxProtocolRuns }: Pick<CampaignRow, 'maxProtocolRuns'>): number {
  return maxProtocolRuns === 0 ? mostRuns : maxProtocolRuns;
}

/**
 * @param started number of runs that the campaign has started
 * @param runs number of runs in all
 */
export function comingRunNames(campaign: string, started: number, runs: number): string[] {
  return Array.from({ length: runs - started }, (_, index) => campaignRunName(campaign, started + index + 1));
}

export function refuseTakenRunName(turn: Turn, name: string): void {
  refuseExistingRunName(turn, name);
  for (const campaign of turn.state.rows.campaigns.values()) {
    const n = runNumber(campaign.name, name);
    if (n !== undefined && n > campaign.runsStarted && n <= runLimit(campaign) && !isTerminal(campaign.state))
      throw new ServiceError(
        'duplicate_name',
        `campaign ${campaign.name} has reserved the name "${name}" for a protocol run`,
      );
  }
}

/** Refuses a campaign if names of coming runs are taken or reserved. @throws ServiceError `duplicate_name` */
export function refuseRunNames(turn: Turn, campaign: string, started: number, runs: number): void {
  for (const name of comingRunNames(campaign, started, runs)) refuseExistingRunName(turn, name);
  for (const other of turn.state.rows.campaigns.values()) {
    const clash = sharedRunName(campaign, runs, other);
    if (clash !== undefined)
      throw new ServiceError(
        'duplicate_name',
        `campaign ${other.name} has reserved the name "${clash}" for a protocol run`,
      );
  }
}

function refuseExistingRunName(turn: Turn, name: string): void {
  if (turn.state.rows.protocolRunNames.has(name) || turn.isTaken('protocolRun', name))
    throw new ServiceError('duplicate_name', `there is a protocol run named "${name}" already`);
}

/** The number n if the name is that of the n-th run of the campaign. */
function runNumber(campaign: string, name: string): number | undefined {
  const prefix = `${campaign}_run_`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** A run name that both campaigns would use: one campaign name extends the other by text like `_run_<n>`. */
function sharedRunName(name: string, runs: number, other: CampaignRow): string | undefined {
  if (isTerminal(other.state) || other.name === name) return undefined;
  const count = Math.min(runs, runLimit(other));
  if (!`${name}_run_`.startsWith(`${other.name}_run_`) && !`${other.name}_run_`.startsWith(`${name}_run_`))
    return undefined;
  for (let n = 1; n <= count; n += 1) {
    const mine = campaignRunName(name, n);
    const number = runNumber(other.name, mine);
    if (number !== undefined && number <= runLimit(other)) return mine;
  }
  return undefined;
}
