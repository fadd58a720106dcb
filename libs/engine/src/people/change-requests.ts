import {
  allLabs,
  type CampaignChange,
  type ProtocolRunChange,
  type TaskChange,
  type WorkKind,
} from '@lab/contracts';
import type { EndedPage, Store } from '../rows/index.js';
import { type Accepted, comingRunNames, runLimit } from '../submission/index.js';
import type { Person, TurnLoop } from '../turn/index.js';
import { archiveAll, archiveWork, restoreWork } from './archive.js';
import type { CampaignRequests } from './campaign-requests.js';
import { changeCampaign, changeProtocolRun, changeTask } from './change-work.js';

/** Acts in the audit where no person does. */
const service = 'service';

/** Changes of unfinished work, and archiving of finished work. Each promise resolves after the commit. */
export class ChangeRequests {
  constructor(
    private readonly loop: TurnLoop,
    private readonly store: Pick<Store, 'named' | 'endedBefore'>,
    private readonly person: (by: string) => Person,
    private readonly campaigns: Pick<CampaignRequests, 'checkTrials'>,
  ) {}

  /**
   * @param protocolRun run of the task; undefined: an on-demand task
   * @param by person who asks, for the audit
   * @param rights of this person
   * @throws ServiceError `not_found`, `forbidden` for its laboratories, `wrong_state`; `invalid` (every fault listed)
   */
  task(
    name: string,
    protocolRun: string | undefined,
    change: TaskChange,
    by: string,
    rights = allLabs,
  ): Promise<Accepted> {
    return this.loop.submit(
      'change of a task',
      (turn) => changeTask(turn, this.person(by), name, protocolRun, change, rights),
      [
        protocolRun === undefined
          ? { kind: 'onDemandTask', names: [name] }
          : { kind: 'protocolRun', names: [protocolRun] },
      ],
    );
  }

  /** Changes a run and its tasks in the same way. @throws as {@link task} */
  protocolRun(name: string, change: ProtocolRunChange, by: string, rights = allLabs): Promise<Accepted> {
    return this.loop.submit(
      'change of a protocol run',
      (turn) => changeProtocolRun(turn, this.person(by), name, change, rights),
      [{ kind: 'protocolRun', names: [name] }],
    );
  }

  /**
   * Parameters change for runs that have not begun.
   *
   * @throws also `duplicate_name` for a coming run; `optimizer_unavailable` when no worker can check the new rows
   */
  async campaign(name: string, change: CampaignChange, by: string, rights = allLabs): Promise<Accepted> {
    await this.campaigns.checkTrials(name, change.protocol_run_parameters ?? [], rights);
    const { max_protocol_runs: maxProtocolRuns } = change;
    const coming =
      maxProtocolRuns === undefined ? [] : comingRunNames(name, 0, runLimit({ maxProtocolRuns }));
    return this.loop.submit(
      'change of a campaign',
      (turn) => changeCampaign(turn, this.person(by), name, change, rights),
      [
        { kind: 'campaign', names: [name] },
        { kind: 'protocolRun', names: coming },
      ],
    );
  }

  /**
   * Hides finished work with all its parts: a campaign, a run without one, or the latest on-demand task of that name.
   * @throws ServiceError `not_found`; `wrong_state` when it is not over, belongs to a campaign or is archived
   */
  async archive(kind: WorkKind, name: string, by: string): Promise<Accepted> {
    const work = await this.store.named(kind, name);
    return this.loop.submit('archiving', (turn) => archiveWork(turn, this.person(by), kind, name, work));
  }

  /**
   * Archives a page of work that ended long ago in one commit, except what has resumed.
   *
   * @returns the number of entries and the id after which the next page begins; no `next`: the last page
   * @throws ServiceError `store_unavailable`
   */
  async archiveOld(kind: WorkKind, page: EndedPage): Promise<{ archived: number; next?: string }> {
    const works = await this.store.endedBefore(kind, page);
    const last = works.length < page.limit ? undefined : works.at(-1)?.id;
    const archived =
      works.length === 0
        ? 0
        : await this.loop.submit('archiving what is old', (turn) =>
            archiveAll(turn, this.person(service), kind, works),
          );
    return { archived, ...(last === undefined ? {} : { next: last }) };
  }

  /** Shows archived work in lists again. @throws ServiceError `not_found`; `wrong_state` when it is not archived */
  async restore(kind: WorkKind, name: string, by: string): Promise<Accepted> {
    const work = await this.store.named(kind, name);
    return this.loop.submit('restoring', (turn) => restoreWork(turn, this.person(by), kind, name, work));
  }
}
