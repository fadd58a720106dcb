import type { AttentionRecord } from '@lab/api-client';
import { claimOf, type Claim, type Tone } from '@lab/web-model';
import { useRef, useState, type ReactNode } from 'react';
import { Button, Failure, State } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct, useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** The page renews a claim of its person by itself when less than this is left, in milliseconds. */
const renewMs = 300_000;
/** The page claims by itself at most this often, also when its person has released the claim. In milliseconds. */
const claimEveryMs = 60_000;

/** Says who is deciding an item, if somebody is. */
export function Deciding({ item }: { item: AttentionRecord }): ReactNode {
  const { me } = useLab();
  const claim = claimOf(item, me, useNow());
  return claim === undefined ? null : <Who claim={claim} />;
}

function Who({ claim }: { claim: Claim }): ReactNode {
  const words = useWords();
  const now = useNow(10_000);
  const { by, since, isMine } = claim;
  const age = words.age(Math.max(0, now - since));
  const tone: Tone = isMine ? 'busy' : 'warning';
  if (by === undefined) return <State tone={tone}>{words.say('claim.somebody', { age })}</State>;
  return (
    <State tone={tone}>
      {isMine ? words.say('claim.mine', { age }) : words.say('claim.other', { by, age })}
    </State>
  );
}

export interface Claiming {
  claim: Claim | undefined;
  /** Why the last act about the claim failed, in a sentence. */
  failure: string | undefined;
  take(): Promise<void>;
  release(): Promise<void>;
  /** The person has begun to fill in the form. Claims the item, or renews the claim, unless another person is deciding. */
  touch(): void;
}

/** Claims an item for the person at this page. */
export function useClaim(item: AttentionRecord): Claiming {
  const words = useWords();
  const { live, me } = useLab();
  const mayChange = useMayAct();
  const now = useNow();
  const claimedAt = useRef(-Infinity);
  const [failure, setFailure] = useState<string>();
  const claim = claimOf(item, me, now);
  const path = { id: item.id };
  const act = async (send: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    try {
      await send();
    } catch (error) {
      setFailure(words.say('claim.failed', { reason: reasonOf(error) }));
    }
    live.readAgain(['attention']);
  };
  const take = (isDeliberate: boolean): Promise<void> => {
    claimedAt.current = now;
    return act(() => client.post('/api/attention/{id}/claim', { path, body: { take_over: isDeliberate } }));
  };
  return {
    ...{ claim, failure },
    take: () => take(true),
    release: () => act(() => client.delete('/api/attention/{id}/claim', { path })),
    touch() {
      const isFresh = claim !== undefined && (!claim.isMine || claim.until - now > renewMs);
      if (mayChange && !isFresh && now - claimedAt.current >= claimEveryMs) void take(false);
    },
  };
}

/** Says who is deciding, and lets the person say that they are, or are not any more. */
export function ClaimBox({ claiming }: { claiming: Claiming }): ReactNode {
  const words = useWords();
  const mayChange = useMayAct();
  const now = useNow(10_000);
  const { claim, failure, take, release } = claiming;
  const isMine = claim?.isMine === true;
  const effect =
    claim === undefined
      ? words.say('claim.do.effect')
      : isMine
        ? words.say('claim.until', { time: words.time(claim.until, now) })
        : words.say('claim.take.effect', { by: claim.by ?? '?' });
  return (
    <div className="rows">
      <div className="row">
        <span role="status">
          {claim === undefined ? <State tone="idle">{words.say('claim.none')}</State> : <Who claim={claim} />}
        </span>
        <Button className="end" disabled={!mayChange} onClick={() => void (isMine ? release() : take())}>
          {words.say(claim === undefined ? 'claim.do' : isMine ? 'claim.release' : 'claim.take')}
        </Button>
        <span className="whole hint">{effect}</span>
        <Failure>{failure}</Failure>
      </div>
    </div>
  );
}
