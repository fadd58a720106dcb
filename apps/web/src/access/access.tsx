import type { TokenRecord } from '@lab/api-client';
import { mayAct, type Words, type WordKey } from '@lab/web-model';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, Rows, Section, State } from '../design/index.js';
import { client, reasonOf, useLab, useMayAct, useNow } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { NewToken } from './new-token.js';

/** How many tokens are read at once. */
const portion = 50;

/** Sessions and access tokens: an administrator sees all, everybody else their own. Each can be ended. */
export function Access(): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const { tokens, isMore, failure, readMore, readAgain } = useTokens();
  if (me.kind === 'local') return <p>{words.say('settings.open_to_all')}</p>;
  const isAdmin = mayAct(me, 'admin');
  return (
    <>
      <h1>{words.say('access.title')}</h1>
      <p className="hint">{words.say(isAdmin ? 'access.all' : 'access.own')}</p>
      {(isAdmin || me.kind === 'oidc') && <NewToken onMade={readAgain} />}
      {failure !== undefined && <Unread reason={failure} />}
      <Section title={words.say('access.list')}>
        <Rows items={tokens} keyOf={({ id }) => id}>
          {(token) => <Token token={token} onDone={readAgain} />}
        </Rows>
        {isMore && (
          <div className="buttons">
            <Button onClick={readMore}>{words.say('access.more')}</Button>
          </div>
        )}
      </Section>
    </>
  );
}

interface Tokens {
  tokens: readonly TokenRecord[];
  /** Older ones are not read yet. */
  isMore: boolean;
  /** Why they cannot be read, in a sentence. */
  failure: string | undefined;
  readMore(): void;
  /** Reads the newest again, and leaves out older ones until they are asked for. */
  readAgain(): void;
}

function useTokens(): Tokens {
  const [tokens, setTokens] = useState<readonly TokenRecord[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [failure, setFailure] = useState<string>();
  const read = useCallback((cursor: string | undefined, signal?: AbortSignal) => {
    const query = { limit: portion, ...(cursor === undefined ? {} : { cursor }) };
    client.get('/api/tokens', { query, ...(signal === undefined ? {} : { signal }) }).then(
      ({ items, next_cursor }) => {
        setTokens((before) => (cursor === undefined ? items : [...before, ...items]));
        setNext(next_cursor);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (signal?.aborted !== true) setFailure(reasonOf(error));
      },
    );
  }, []);
  useEffect(() => {
    const end = new AbortController();
    read(undefined, end.signal);
    return () => end.abort();
  }, [read]);
  return {
    ...{ tokens, failure, isMore: next !== null },
    readMore: () => read(next ?? undefined),
    readAgain: useCallback(() => read(undefined), [read]),
  };
}

function Token({ token, onDone }: { token: TokenRecord; onDone(): void }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  const mayChange = useMayAct();
  const [asks, setAsks] = useState(false);
  const { name, kind, note, prefix, revoked_at: revoked, expires_at: expires, last_used_at: used } = token;
  const isOver = revoked !== null || (expires !== null && Date.parse(expires) <= now);
  const state = revoked !== null ? 'access.revoked' : isOver ? 'access.expired' : 'access.valid';
  return (
    <>
      <span className="name">{name}</span>
      <State tone={isOver ? 'idle' : 'good'}>{words.say(state)}</State>
      <span>{words.say(`access.kind.${kind}` satisfies WordKey)}</span>
      <span className="hint">{[note, prefix].filter((each) => each !== '').join(', ')}</span>
      <span className="hint">{grantWords(words, token)}</span>
      <span className="hint">
        {used === null
          ? words.say('access.unused')
          : words.say('access.used', { time: words.time(Date.parse(used), now) })}
      </span>
      {!isOver && expires !== null && (
        <span className="hint">
          {words.say('access.ends', { time: words.time(Date.parse(expires), now) })}
        </span>
      )}
      {!isOver && (
        <Button className="end" disabled={!mayChange} aria-haspopup="dialog" onClick={() => setAsks(true)}>
          {words.say('access.revoke')}
          <span className="hidden"> {prefix}</span>
        </Button>
      )}
      {asks && (
        <Revocation
          token={token}
          onClose={() => setAsks(false)}
          onDone={() => {
            onDone();
            setAsks(false);
          }}
        />
      )}
    </>
  );
}

/** What a token allows, as a person reads it. */
function grantWords(words: Words, { grants }: Pick<TokenRecord, 'grants'>): string {
  return grants
    .map(({ role, lab }) => {
      const name = words.say(`role.${role}` satisfies WordKey);
      return lab === undefined ? name : words.say('access.for_lab', { role: name, lab });
    })
    .join(', ');
}

function Revocation({
  token: { id, kind, name },
  onClose,
  onDone,
}: {
  token: TokenRecord;
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const [failure, setFailure] = useState<string>();
  const revoke = async (): Promise<void> => {
    try {
      await client.delete('/api/tokens/{token_id}', { path: { token_id: id } });
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('access.revoke.title', { name })}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void revoke();
        }}
      >
        <p>{words.say(kind === 'session' ? 'access.revoke.session' : 'access.revoke.token')}</p>
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="danger" data-first>
            {words.say('access.revoke')}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
