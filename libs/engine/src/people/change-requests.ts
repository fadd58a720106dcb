import type { CampaignChange, ProtocolRunChange, TaskChange, WorkKind } from '@lab/contracts';
import type { EndedPage, Store } from '../rows/index.js';
import { type Accepted, comingRunNames, runLimit } from '../submission/index.js';
import type { Person, TurnLoop } from '../turn/index.js';
import { archiveAll, archiveWork, restoreWork } from './archive.js';
import type { CampaignRequests } from './campaign-requests.js';
import { changeCampaign, changeProtocolRun, changeTask } from './change-work.js';

/** Who acts where no person does, for the audit. */
const service = 'service';

/**
 * What people ask to be different: of work that is not over, or whether what is over is listed. Each promise resolves after
 * the commit.
 */
export class ChangeRequests {
  constructor(
    private readonly loop: TurnLoop,
    private readonly store: Pick<Store, 'named' | 'endedBefore'>,
    private readonly person: (by: string) => Person,
    private readonly campaigns: Pick<CampaignRequests, 'checkTrials'>,
  ) {}

  /**
   * Changes the priority of a task that is not over, or parameters of one no attempt of which has begun.
   *
   * @param protocolRun when given, the task of that run; else the on-demand task
   * @param by who asks, for the audit
   * @throws ServiceError `not_found`, `wrong_state`; `invalid` (every fault listed)
   */
  task(name: string, protocolRun: string | undefined, change: TaskChange, by: string): Promise<Accepted> {
    return this.loop.submit(
      'change of a task',
      (turn) => changeTask(turn, this.person(by), name, protocolRun, change),
      [
        protocolRun === undefined
          ? { kind: 'onDemandTask', names: [name] }
          : { kind: 'protocolRun', names: [protocolRun] },
      ],
    );
  }

  /** The same of a run and its tasks. @throws as {@link task} */
  protocolRun(name: string, change: ProtocolRunChange, by: string): Promise<Accepted> {
    return this.loop.submit(
      'change of a protocol run',
      (turn) => changeProtocolRun(turn, this.person(by), name, change),
      [{ kind: 'protocolRun', names: [name] }],
    );
  }

  /**
   * The same of a campaign, its runs and their tasks; parameters are those of runs that have not begun.
   *
   * @throws as {@link task}; `duplicate_name` when the name of a coming run is taken; `optimizer_unavailable` when there
   *   is an optimizer that cannot be asked whether it takes other rows
   */
  async campaign(name: string, change: CampaignChange, by: string): Promise<Accepted> {
    await this.campaigns.checkTrials(name, change.protocol_run_parameters ?? []);
    const { max_protocol_runs: maxProtocolRuns } = change;
    const coming =
      maxProtocolRuns === undefined ? [] : comingRunNames(name, 0, runLimit({ maxProtocolRuns }));
    return this.loop.submit(
      'change of a campaign',
      (turn) => changeCampaign(turn, this.person(by), name, change),
      [
        { kind: 'campaign', names: [name] },
        { kind: 'protocolRun', names: coming },
      ],
    );
  }

  /**
   * Takes work that is over out of the lists, with all that belongs to it.
   *
   * @param kind with the name: a campaign, a run of no campaign, or the latest on-demand task of that name
   * @param by who asks, for the audit
   * @throws ServiceError `not_found`; `wrong_state` when it is not over, belongs to a campaign or is archived
   */
  async archive(kind: WorkKind, name: string, by: string): Promise<Accepted> {
    const work = await this.store.named(kind, name);
    return this.loop.submit('archiving', (turn) => archiveWork(turn, this.person(by), kind, name, work));
  }

  /**
   * Archives in one commit what ended long ago. What goes on again meanwhile is passed over.
   *
   * @returns how much, and the id behind which to go on; without `next` that was all
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

  /** Brings what is archived back into the lists. @throws ServiceError `not_found`; `wrong_state` when it is not archived */
  async restore(kind: WorkKind, name: string, by: string): Promise<Accepted> {
    const work = await this.store.named(kind, name);
    return this.loop.submit('restoring', (turn) => restoreWork(turn, this.person(by), kind, name, work));
  }
}
