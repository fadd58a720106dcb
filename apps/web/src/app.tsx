import type { Principal } from '@lab/api-client';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { client, isSignedOut, LabProvider, reasonOf } from './lab/index.js';
import { SignIn } from './pages/index.js';
import { router } from './routes.js';
import { useWords } from './settings/index.js';

type Visitor =
  | { kind: 'unknown'; reason?: string }
  | { kind: 'stranger'; ended: boolean }
  | { kind: 'known'; me: Principal };

/** Time between two questions of who this is, while the service does not answer, in milliseconds. */
const retryMs = 2_000;

/** Asks the service who looks at the page, then shows the laboratory to them. */
export function App(): ReactNode {
  const words = useWords();
  const [visitor, setVisitor] = useState<Visitor>({ kind: 'unknown' });
  const onSignedOut = useCallback(() => setVisitor({ kind: 'stranger', ended: true }), []);
  useEffect(() => {
    if (visitor.kind !== 'unknown') return undefined;
    const end = new AbortController();
    const ask = (): void => {
      client.get('/api/me', { signal: end.signal, retries: 0 }).then(
        (me) => setVisitor({ kind: 'known', me }),
        (error: unknown) => {
          if (end.signal.aborted) return;
          if (isSignedOut(error)) setVisitor({ kind: 'stranger', ended: false });
          else setVisitor({ kind: 'unknown', reason: reasonOf(error) });
        },
      );
    };
    const timer = setTimeout(ask, visitor.reason === undefined ? 0 : retryMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [visitor]);
  if (visitor.kind === 'unknown')
    return (
      <p role="status" className="content">
        {visitor.reason === undefined
          ? words.say('now.reading')
          : words.say('now.unreadable', { reason: visitor.reason })}
      </p>
    );
  if (visitor.kind === 'stranger')
    return <SignIn ended={visitor.ended} onSignedIn={() => setVisitor({ kind: 'unknown' })} />;
  const signOut = (): void => {
    void client.delete('/api/sessions/current').then(
      () => setVisitor({ kind: 'stranger', ended: false }),
      () => setVisitor({ kind: 'unknown' }),
    );
  };
  return (
    <LabProvider me={visitor.me} onSignedOut={onSignedOut}>
      <RouterProvider
        router={router}
        context={{ onSignOut: visitor.me.kind === 'local' ? undefined : signOut }}
      />
    </LabProvider>
  );
}
