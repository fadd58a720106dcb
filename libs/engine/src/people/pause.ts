import { isTerminal, ServiceError } from '@lab/contracts';
import type { CampaignRow, ProtocolRunRow } from '../rows/index.js';
import type { Accepted } from '../submission/index.js';
import { type Person, type Turn, audit } from '../turn/index.js';
import { openCampaign, openRun } from './open-work.js';

/** Starts no more tasks of the run. Running tasks continue. @throws ServiceError `not_found`, `wrong_state` */
export function pauseProtocolRun(turn: Turn, person: Person, name: string): Accepted {
  const run = openRun(turn, name);
  refuseEnding('protocol run', run);
  if (turn.state.isPaused(run))
    throw new ServiceError(
      'wrong_state',
      `the protocol run "${name}" is paused already${run.pausedAt === null ? ', with its campaign' : ''}`,
    );
  turn.emit({ op: 'updateProtocolRun', id: run.id, patch: { pausedAt: turn.now } });
  audit(turn, person, 'protocol_run.pause', `protocol_run/${name}`);
  return { id: run.id, name };
}

/** Starts no more runs, and no more tasks of unfinished runs. @throws ServiceError `not_found`, `wrong_state` */
export function pauseCampaign(turn: Turn, person: Person, name: string): Accepted {
  const campaign = openCampaign(turn, name);
  refuseEnding('campaign', campaign);
  if (campaign.pausedAt !== null)
    throw new ServiceError('wrong_state', `the campaign "${name}" is paused already`);
  turn.emit({ op: 'updateCampaign', id: campaign.id, patch: { pausedAt: turn.now } });
  audit(turn, person, 'campaign.pause', `campaign/${name}`);
  return { id: campaign.id, name };
}

/** Ends the pause of a run. @throws ServiceError `wrong_state` */
export function unpauseProtocolRun(turn: Turn, person: Person, run: ProtocolRunRow): Accepted {
  const { id, name } = run;
  refuseEnding('protocol run', run);
  if (run.pausedAt === null)
    throw new ServiceError(
      'wrong_state',
      turn.state.isPaused(run)
        ? `the protocol run "${name}" is paused with its campaign; resume the campaign`
        : `the protocol run "${name}" is ${run.state} and not paused; there is nothing to resume`,
    );
  turn.emit({ op: 'updateProtocolRun', id, patch: { pausedAt: null } });
  audit(turn, person, 'protocol_run.resume', `protocol_run/${name}`);
  return { id, name };
}

/** Ends the pause of a campaign. @throws ServiceError `wrong_state` */
export function unpauseCampaign(turn: Turn, person: Person, campaign: CampaignRow): Accepted {
  const { id, name } = campaign;
  refuseEnding('campaign', campaign);
  if (campaign.pausedAt === null)
    throw new ServiceError(
      'wrong_state',
      `the campaign "${name}" is ${campaign.state} and not paused; there is nothing to resume`,
    );
  turn.emit({ op: 'updateCampaign', id, patch: { pausedAt: null } });
  audit(turn, person, 'campaign.resume', `campaign/${name}`);
  return { id, name };
}

/** @throws ServiceError `wrong_state` when the work will end as soon as none of its tasks runs */
export function refuseEnding(what: string, row: CampaignRow | ProtocolRunRow): void {
  if (row.ending !== null && !isTerminal(row.state))
    throw new ServiceError(
      'wrong_state',
      `the ${what} "${row.name}" is ending: it will be ${row.ending.state} as soon as nothing of it runs`,
    );
}
