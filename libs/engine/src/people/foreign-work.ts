import { isWithinLabs, type LabRights, ServiceError, workWords } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import { refuseForeignLabs } from '../labs/index.js';
import type { EndedWork, TaskRunRow } from '../rows/index.js';
import { type Turn, labsOfTask } from '../turn/index.js';

type Kind = 'campaign' | 'protocol_run';

/**
 * Refuses an act on a campaign or run of laboratories for which the caller has no role. To a caller who may not see all of
 * them, the work does not exist. It passes work that does not exist: the next step reports that.
 *
 * @throws ServiceError `not_found`, `forbidden`
 */
export function refuseForeignWork(turn: Turn, rights: LabRights, kind: Kind, name: string): void {
  const { campaigns, campaignNames, protocolRuns, protocolRunNames } = turn.state.rows;
  const isCampaign = kind === 'campaign';
  const ended = turn.ended(isCampaign ? 'campaign' : 'protocolRun', name);
  const row = isCampaign
    ? (campaigns.get(campaignNames.get(name) ?? '') ?? ended?.campaign)
    : (protocolRuns.get(protocolRunNames.get(name) ?? '') ?? ended?.protocolRuns[0]);
  if (row == null) return;
  const snapshot = turn.state.protocolOf(row) ?? protocolIn(ended, row);
  refuse(rights, workWords[kind], name, snapshot?.protocol.labs ?? []);
}

/** The same for a task that has not ended. */
export function refuseForeignTask(turn: Turn, rights: LabRights, task: TaskRunRow): void {
  refuse(rights, 'task', task.name, labsOfTask(turn.state, task));
}

/** The protocol with which a finished campaign or run was accepted. */
export function protocolIn(
  work: EndedWork | undefined,
  { definitionHash }: { definitionHash: string },
): ProtocolSnapshot | undefined {
  const row = work?.definitions.find(({ hash }) => hash === definitionHash);
  return row?.kind === 'protocol' ? row.body : undefined;
}

function refuse(rights: LabRights, what: string, name: string, labs: readonly string[]): void {
  if (!isWithinLabs(labs, rights.see))
    throw new ServiceError('not_found', `there is no ${what} named "${name}"`);
  refuseForeignLabs(rights, `${what} "${name}"`, labs, 'name');
}
