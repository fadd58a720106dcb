import { type DrainRow, type NameKind } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, audit } from '../turn/index.js';
import { openWork } from './open-work.js';

/**
 * Begins and ends drains, of a campaign or of all work (null). A drain survives restarts. Each promise resolves after
 * the commit.
 */
export class DrainRequests {
  constructor(
    private readonly loop: TurnLoop,
    private readonly person: (by: string) => Person,
  ) {}

  /**
   * From now on no protocol run and no on-demand task begins. Those that have begun go on to their end. Idempotent.
   *
   * @throws ServiceError `not_found`; `wrong_state` when the campaign is over
   */
  begin(campaign: string | null, by: string): Promise<void> {
    return this.#submit('drain', campaign, by, (turn, person, campaignId) => {
      if (turn.state.drainOf(campaignId) !== undefined) return undefined;
      return { id: person.ids.next(), campaignId, by, at: turn.now, endedAt: null, endedBy: null };
    });
  }

  /** Work may begin again. Idempotent. @throws as {@link begin} */
  end(campaign: string | null, by: string): Promise<void> {
    return this.#submit('end_drain', campaign, by, (turn, _person, campaignId) => {
      const drain = turn.state.drainOf(campaignId);
      return drain && { ...drain, endedAt: turn.now, endedBy: by };
    });
  }

  /** @param decide the changed drain; undefined: nothing changes */
  #submit(
    act: 'drain' | 'end_drain',
    campaign: string | null,
    by: string,
    decide: (turn: Turn, person: Person, campaignId: string | null) => DrainRow | undefined,
  ): Promise<void> {
    const asked: { kind: NameKind; names: string[] }[] =
      campaign === null ? [] : [{ kind: 'campaign', names: [campaign] }];
    return this.loop.submit(
      act,
      (turn) => {
        const person = this.person(by);
        const row = decide(turn, person, campaign === null ? null : openWork(turn, 'campaign', campaign).id);
        if (row === undefined) return;
        turn.emit({ op: 'putDrain', row });
        if (campaign === null) audit(turn, person, `queue.${act}`, `halt/${row.id}`);
        else audit(turn, person, `campaign.${act}`, `campaign/${campaign}`);
      },
      asked,
    );
  }
}
