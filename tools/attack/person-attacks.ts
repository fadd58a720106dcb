import { isIssuerName } from '@lab/contracts';
import type { Answer, Door } from './door.js';
import { refused, type Group } from './http-scene.js';

/** Attacks by people of an identity provider. */

/** The token that a person of the issuer makes. */
async function madeBy(door: Door, signed: string, days?: number): Promise<Answer> {
  const me = JSON.parse((await door.as(signed, 'GET', '/api/me')).text) as { name: string };
  const life = days === undefined ? {} : { expires_in_days: days };
  return door.as(signed, 'POST', '/api/tokens', { name: me.name, grants: [{ role: 'viewer' }], ...life });
}

const tokenIn = ({ text }: Answer): string => (JSON.parse(text) as { token?: string }).token ?? '';

export const afterTheEnd: Group = ({ issuer }, door) => {
  const day = 86_400;
  const now = (): number => Math.floor(Date.now() / 1_000);
  return [
    refused('H19 make a token for 366 days as a person of the issuer', () =>
      madeBy(door(), issuer.token({ sub: 'leaver', roles: ['viewer'] }), 366),
    ),
    {
      name: 'H19 use a token of a person whom the issuer has not confirmed for a day',
      attempt: async () => {
        const old = issuer.token({ sub: 'dropped', roles: ['viewer'], iat: now() - day - 60 });
        const token = tokenIn(await madeBy(door(), old));
        if (!token.startsWith('svc_pat_')) throw new Error('the person could not make a token');
        const { status, text } = await door().as(token, 'GET', '/api/tasks');
        return status === 401 ? undefined : `${status} ${text.slice(0, 100)}`;
      },
    },
    {
      name: 'H19 use a token after the issuer took the roles away',
      attempt: async () => {
        const token = tokenIn(await madeBy(door(), issuer.token({ sub: 'moved', roles: ['viewer'] })));
        const before = await door().as(token, 'GET', '/api/tasks');
        if (before.status !== 200) throw new Error(`the token does not work at all: ${before.status}`);
        await door().as(issuer.token({ sub: 'moved', roles: [], iat: now() + 2 }), 'GET', '/api/me');
        const { status } = await door().as(token, 'GET', '/api/tasks');
        return status === 403 ? undefined : `it still reads: ${status}`;
      },
    },
  ];
};

export const betweenNameSpaces: Group = ({ people, issuer, runOfSue }, door) => {
  const signed = (): string => issuer.token({ sub: 'sue', roles: ['submitter'] });
  return [
    {
      name: 'H20 see the tokens of a local name as the same name of the issuer',
      attempt: async () => {
        const { text } = await door().as(signed(), 'GET', '/api/tokens');
        const foreign = (JSON.parse(text) as { items: { name: string }[] }).items.filter(
          ({ name }) => !isIssuerName(name),
        );
        return foreign.length === 0 ? undefined : JSON.stringify(foreign).slice(0, 200);
      },
    },
    refused('H20 cancel the work of a local name as the same name of the issuer', () =>
      door().as(signed(), 'POST', `/api/protocols/${runOfSue}/cancel`),
    ),
    refused('H20 revoke the tokens of a local name as the same name of the issuer', () =>
      door().as(signed(), 'DELETE', '/api/tokens?name=sue'),
    ),
    refused('H20 make a token of a local name as the same name of the issuer', () =>
      door().as(signed(), 'POST', '/api/tokens', { name: 'sue', grants: [{ role: 'viewer' }] }),
    ),
    refused('H20 make a local token with the name of a person of the issuer', () =>
      door().as(people.root, 'POST', '/api/tokens', {
        name: `sue@${issuer.url}`,
        grants: [{ role: 'viewer' }],
      }),
    ),
  ];
};
