import { isTerminal, ServiceError } from '@lab/contracts';
import type { CampaignRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** The names that a campaign gives its runs, from 1. */
export function campaignRunName(campaign: string, n: number): string {
  return `${campaign}_run_${n}`;
}

/** Most runs of a campaign, also of one without a limit: the names of its runs to come are its own. */
const mostRuns = 100_000;

/** How many runs a campaign may have. */
export function runLimit({ maxProtocolRuns }: Pick<CampaignRow, 'maxProtocolRuns'>): number {
  return maxProtocolRuns === 0 ? mostRuns : maxProtocolRuns;
}

/** The names of the runs that a campaign has not had. @param started how many it has had @param runs how many in all */
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
        `campaign ${campaign.name} will have a protocol run named "${name}"`,
      );
  }
}

/**
 * Sees to it that the coming runs of a campaign can have their names.
 *
 * @param started how many of them exist
 * @param runs how many there will be
 * @throws ServiceError `duplicate_name`
 */
export function refuseRunNames(turn: Turn, campaign: string, started: number, runs: number): void {
  for (const name of comingRunNames(campaign, started, runs)) refuseExistingRunName(turn, name);
  for (const other of turn.state.rows.campaigns.values()) {
    const clash = sharedRunName(campaign, runs, other);
    if (clash !== undefined)
      throw new ServiceError(
        'duplicate_name',
        `campaign ${other.name} will have a protocol run named "${clash}" too`,
      );
  }
}

function refuseExistingRunName(turn: Turn, name: string): void {
  if (turn.state.rows.protocolRunNames.has(name) || turn.isTaken('protocolRun', name))
    throw new ServiceError('duplicate_name', `there is a protocol run named "${name}" already`);
}

/** `n` when the name is that of the n-th run of the campaign. */
function runNumber(campaign: string, name: string): number | undefined {
  const prefix = `${campaign}_run_`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** A name that runs of both campaigns would get. Possible only if one name extends the other by `_run_<n>`-like text. */
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
