import type { Answer, Door } from './door.js';
import { refused, type Group } from './http-scene.js';

/** Attacks by pipelines, and by people who forge their signed tokens. */

const audience = 'https://lab.example.org';
const deploying = { repository: 'our-org/our-labs', ref: 'refs/heads/main', event_name: 'push' };

/** What the pipelines of another issuer have in their tokens. */
const elsewhere = { project_path: 'other/labs', ref: 'main' };

const pipelineAt = (issuer: string, claims: object, role: string): string =>
  `{ issuer: '${issuer}', audience: '${audience}', rules: [` +
  `{ claims: ${JSON.stringify(claims)}, roles: ['${role}'] }] }`;

/** The configuration of two issuers of pipelines, as one line of YAML. */
export const pipelinesAt = (issuer: string, otherIssuer: string, lab: string): string =>
  `[${pipelineAt(issuer, deploying, `deployer:${lab}`)}, ${pipelineAt(otherIssuer, elsewhere, `dry_runner:${lab}`)}]`;

function exchange(door: Door, signed: string): Promise<Answer> {
  const body = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: signed,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  };
  const headers = { 'content-type': 'application/json' };
  return door.send('POST', '/api/tokens/exchange', headers, JSON.stringify(body));
}

export const asAPipeline: Group = ({ issuer, otherIssuer, lab }, door) => {
  let last = 0;
  const claims = (more: object = {}): object => {
    last += 1;
    const sub = 'repo:our-org/our-labs:environment:lab';
    return { aud: audience, sub, jti: `run-${last}`, ...deploying, ...more };
  };
  const past = Math.floor(Date.now() / 1_000) - 7_200;
  const forged: [string, string][] = [
    ['without a signature', issuer.token(claims(), { alg: 'none' })],
    [
      'signed with the public key as a password',
      issuer.token(claims(), { alg: 'HS256', key: issuer.publicKey }),
    ],
    ['signed by a stranger', issuer.token(claims(), { key: issuer.strangersKey })],
    [
      'that names the keys of a stranger',
      issuer.token(claims(), { key: issuer.strangersKey, header: { jku: `${issuer.url}/stolen` } }),
    ],
    ['for another service', issuer.token(claims({ aud: 'https://shop.example.org' }))],
    ['for two services', issuer.token(claims({ aud: [audience, 'https://shop.example.org'] }))],
    ['of a person', issuer.token(claims({ aud: 'lab', roles: ['admin'] }))],
    ['that has expired', issuer.token(claims({ exp: past }))],
    ['that is too old', issuer.token(claims({ iat: past }))],
    ['without the time of its signature', issuer.token(claims({ iat: undefined }))],
    ['that is not valid yet', issuer.token(claims({ nbf: past + 14_400 }))],
    ['of another trusted issuer, with the claims of this one', otherIssuer.token(claims())],
    [
      'that another trusted issuer signed in the name of this one',
      otherIssuer.token(claims({ iss: issuer.url })),
    ],
    [
      'that this issuer signed in the name of another trusted one',
      issuer.token(claims({ iss: otherIssuer.url, ...elsewhere })),
    ],
    ['of another issuer', issuer.token(claims({ iss: 'https://evil.example.org' }))],
    ['of another repository', issuer.token(claims({ repository: 'our-org/our-labs-2' }))],
    ['of a repository with a longer owner', issuer.token(claims({ repository: 'evil/our-org/our-labs' }))],
    ['of another branch', issuer.token(claims({ ref: 'refs/heads/main2' }))],
    ['of a pull request', issuer.token(claims({ event_name: 'pull_request' }))],
    ['whose repository is a list', issuer.token(claims({ repository: ['our-org/our-labs'] }))],
  ];
  return [
    {
      name: 'H21 control: a signed token of the pipeline is exchanged, and gives its role alone',
      attempt: async () => {
        const { status, text } = await exchange(door(), issuer.token(claims()));
        if (status !== 200) return `a token of the pipeline is refused: ${status} ${text}`;
        const { access_token: token, grants } = JSON.parse(text) as { access_token: string; grants: unknown };
        if (JSON.stringify(grants) !== JSON.stringify([{ role: 'deployer', lab }])) return text;
        const { status: created } = await door().as(token, 'POST', '/api/tokens', {
          name: 'thief',
          grants: [{ role: 'viewer' }],
        });
        return created === 403 ? undefined : `the token makes tokens: ${created}`;
      },
    },
    ...forged.map(([what, token]) => refused(`H21 exchange a token ${what}`, () => exchange(door(), token))),
    {
      name: 'H21 exchange a token twice, also at the same moment',
      attempt: async () => {
        const signed = issuer.token(claims());
        const answers = await Promise.all([1, 2, 3].map(() => exchange(door(), signed)));
        const given = answers.filter(({ status }) => status === 200).length;
        return given === 1 ? undefined : `${given} tokens were given`;
      },
    },
    refused('H21 show a signed token of a pipeline as a token of the service', () =>
      door().as(issuer.token(claims()), 'GET', '/api/me'),
    ),
  ];
};
