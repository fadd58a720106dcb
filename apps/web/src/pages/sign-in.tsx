import { useState, type ReactNode } from 'react';
import { Button, Failure, TextField } from '../design/index.js';
import { beginSession, issuer, leaveForIssuer, reasonOf, signInFailure } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** Leads to the issuer, or exchanges a token for a session. The page keeps no token. */
export function SignIn({ ended, onSignedIn }: { ended: boolean; onSignedIn(): void }): ReactNode {
  const words = useWords();
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<string>();
  const signIn = async (): Promise<void> => {
    try {
      await beginSession(token.trim());
      onSignedIn();
    } catch (error) {
      setFailure(words.say('sign_in.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <main className="content sign-in">
      <h1>{words.say('sign_in.title')}</h1>
      {ended && <p>{words.say('sign_in.ended')}</p>}
      {issuer !== undefined && (
        <>
          <Failure>
            {signInFailure === undefined || ended
              ? undefined
              : words.say('sign_in.failed', { reason: signInFailure })}
          </Failure>
          <div className="buttons">
            <Button look="main" onClick={leaveForIssuer}>
              {words.say('sign_in.issuer', { issuer })}
            </Button>
          </div>
          <p className="hint">{words.say('sign_in.or')}</p>
        </>
      )}
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <TextField
          label={words.say('sign_in.token')}
          hint={words.say('sign_in.hint')}
          type="password"
          autoComplete="current-password"
          required
          value={token}
          onChange={setToken}
        />
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look={issuer === undefined ? 'main' : 'plain'}>
            {words.say('sign_in.do')}
          </Button>
        </div>
      </form>
    </main>
  );
}
