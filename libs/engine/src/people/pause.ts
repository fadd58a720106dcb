import { isTerminal, workWords } from '@lab/contracts';
import { type CampaignRow, type ProtocolRunRow, conflict } from '../rows/index.js';
import type { Accepted } from '../submission/index.js';
import { type Person, type Turn, audit } from '../turn/index.js';
import { openWork } from './open-work.js';

/** Kinds of work that can be paused. */
export type PausableKind = 'campaign' | 'protocol_run';

/** Starts no more runs or tasks of the work. Running tasks continue. @throws ServiceError `not_found`, `wrong_state` */
export function pauseWork(turn: Turn, person: Person, kind: PausableKind, name: string): Accepted {
  const row = openWork(turn, kind, name);
  refuseEnding(kind, row);
  if (row.pausedAt !== null || isPausedWithCampaign(turn, row))
    throw conflict(
      `the ${workWords[kind]} "${name}" is paused already${row.pausedAt === null ? ', with its campaign' : ''}`,
    );
  return setPause(turn, person, kind, row, 'pause');
}

/** Ends the pause of the work. @throws ServiceError `wrong_state` */
export function unpauseWork(
  turn: Turn,
  person: Person,
  kind: PausableKind,
  row: CampaignRow | ProtocolRunRow,
): Accepted {
  refuseEnding(kind, row);
  if (row.pausedAt === null)
    throw conflict(
      isPausedWithCampaign(turn, row)
        ? `the protocol run "${row.name}" is paused with its campaign; resume the campaign`
        : `the ${workWords[kind]} "${row.name}" is ${row.state} and not paused; ${whatInstead(turn, row)}`,
    );
  return setPause(turn, person, kind, row, 'resume');
}

function whatInstead(turn: Turn, row: CampaignRow | ProtocolRunRow): string {
  const drain = turn.state.drainOver('campaignId' in row ? row.campaignId : row.id);
  if (drain === undefined) return 'there is nothing to resume';
  const whose = drain.campaignId === null ? 'all work' : 'its campaign';
  return `${drain.by} drains ${whose}, so nothing new begins; end the drain`;
}

/** @throws ServiceError `wrong_state` when the work will end as soon as none of its tasks runs */
export function refuseEnding(kind: PausableKind, row: CampaignRow | ProtocolRunRow): void {
  if (row.ending !== null && !isTerminal(row.state))
    throw conflict(
      `the ${workWords[kind]} "${row.name}" is ending: it will be ${row.ending.state} as soon as nothing of it runs`,
    );
}

function isPausedWithCampaign(turn: Turn, row: CampaignRow | ProtocolRunRow): boolean {
  return 'campaignId' in row && row.pausedAt === null && turn.state.isPaused(row);
}

function setPause(
  turn: Turn,
  person: Person,
  kind: PausableKind,
  { id, name }: { id: string; name: string },
  act: 'pause' | 'resume',
): Accepted {
  const op = kind === 'campaign' ? 'updateCampaign' : 'updateProtocolRun';
  turn.emit({ op, id, patch: { pausedAt: act === 'pause' ? turn.now : null } });
  audit(turn, person, `${kind}.${act}`, `${kind}/${name}`);
  return { id, name };
}
