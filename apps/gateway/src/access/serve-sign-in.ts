import { errorCatalogue, isServiceError } from '@lab/contracts';
import { issueSession } from '@lab/persistence';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TokenStore } from '../ports/index.js';
import { attemptS, type OidcSignIn } from './oidc-sign-in.js';
import { HostCookie, type SessionCookie } from './session-cookie.js';
import type { SessionLife } from './sessions.controller.js';
import type { WrongTokens } from './wrong-tokens.js';

/** Where the page sends a person who wants to sign in at the issuer. */
export const signInPath = '/sign-in';
/** Where the issuer sends the person back to. */
export const signedInPath = '/sign-in/done';

export interface SignInPlace {
  signIn: OidcSignIn;
  tokens: Pick<TokenStore, 'add'>;
  life: SessionLife;
  cookie: SessionCookie;
  publicUrl: string;
  wrong: WrongTokens;
  /**
   * Answers with the page.
   *
   * @param failure why the person is not signed in, in a sentence; undefined: they are
   */
  show(reply: FastifyReply, failure?: string): FastifyReply;
}

/**
 * Serves the two addresses of a sign-in at an issuer. The second answers with the page itself instead of a redirect: requests
 * of the page carry the new session, which the browser would not send (`SameSite=Strict`) after a redirect from another site. The
 * page knows where the person wanted to go, so that no address in a request decides it.
 */
export function serveSignIn(fastify: FastifyInstance, place: SignInPlace): void {
  const { signIn, tokens, life, cookie, wrong, show } = place;
  const attempts = new HostCookie(place.publicUrl, 'svc-sign-in', 'Lax');
  const fail = (reply: FastifyReply, error: unknown): FastifyReply => {
    if (!isServiceError(error)) throw error;
    return show(
      reply.code(errorCatalogue[error.code].status).header('set-cookie', attempts.taken()),
      error.message,
    );
  };
  fastify.get(signInPath, async (request, reply) => {
    try {
      wrong.admit(request.ip);
      const { address, proof } = await signIn.begin();
      return await reply.header('set-cookie', attempts.given(proof, attemptS)).redirect(address, 303);
    } catch (error) {
      return fail(reply, error);
    }
  });
  fastify.get(signedInPath, async (request, reply) => {
    try {
      wrong.admit(request.ip);
      const at = request.url.indexOf('?');
      const person = await signIn.complete(
        at === -1 ? '' : request.url.slice(at),
        attempts.valueIn(request.headers.cookie),
      );
      const { token, row } = issueSession(person, life.lifeMs, Date.now());
      await tokens.add(row);
      const given = cookie.given(token, Math.floor(life.lifeMs / 1_000));
      return await show(reply.header('set-cookie', [given, attempts.taken()]));
    } catch (error) {
      if (isServiceError(error) && error.code === 'unauthorized') wrong.note(request.ip);
      return fail(reply, error);
    }
  });
}
