import { z } from 'zod';
import { count, mapping, name } from './schema-parts.js';

/** How people and pipelines show who they are: `auth` in `config.yml`. */

/** An address whose answers can be trusted: over TLS, or on this computer. */
const trustedAddress = z
  .string('must be an address')
  .refine(
    (text) =>
      URL.canParse(text) &&
      (text.startsWith('https://') ||
        (text.startsWith('http://') && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname))),
    'must be an address that begins with https://',
  );

const roleTextSchema = z
  .string('must be a role')
  .regex(
    /^((viewer|submitter|operator|lab_admin|dry_runner|deployer)(:.+)?|admin)$/,
    'must be viewer, submitter, operator, lab_admin, dry_runner, deployer or admin; of one lab: operator:<lab>',
  );

const clientSchema = z.strictObject(
  {
    /** Name of this service at the issuer. Its ID tokens have it as `aud`. */
    id: name,
    /** What the page calls the issuer; undefined: the name of its computer. */
    name: name.optional(),
    /** What is asked for. Claims with roles may need more than `openid`. */
    scopes: z
      .array(name, 'must be a list of scopes')
      .default(['openid'])
      .refine((scopes) => scopes.includes('openid'), 'must contain openid'),
  },
  'must be a mapping with id',
);

const oidcSchema = z.strictObject(
  {
    /** Equals `iss` of its tokens. */
    issuer: trustedAddress.refine((text) => !text.includes('@'), 'must not contain @'),
    /** `aud` of a token must equal or contain it. */
    audience: name,
    /** Claim with the roles, a text or a list. Dots lead into objects. */
    roles_claim: name.default('roles'),
    /** Maps values of the claim to roles; undefined: the values are roles. */
    roles: z.record(name, z.array(roleTextSchema, 'must be a list of roles')).optional(),
    /** Claim with the name of a person. Its values must be unique, and people must not be able to choose them. */
    name_claim: name.default('sub'),
    /** Longest life of a personal token of a person of the issuer, in days. */
    token_days: count(1, 366, 30),
    /** Lets people sign in to the page at the issuer; undefined: the page takes access tokens alone. */
    client: clientSchema.optional(),
    /** Hours since the issuer last signed a token of a person, after which personal tokens of the person rest. */
    proof_hours: count(1, 8_760, 24),
  },
  'must be a mapping with issuer and audience',
);

export type OidcSettings = z.infer<typeof oidcSchema>;

/** Claims of which a rule for pipelines must have one, because the issuer may sign tokens of pipelines of strangers. */
const repositoryClaims = ['sub', 'repository', 'repository_id', 'project_path', 'project_id'];

/** `*` before the first `/` could stand for the name of a stranger. */
const namesItsOwner = (pattern: string): boolean => !/^[^/]*\*/.test(pattern);

const patternSchema = z
  .union([z.string(), z.number(), z.boolean()], 'must be a text, with * for any characters but / and :')
  .transform(String)
  .refine((text) => text !== '' && text.length <= 500, 'must have 1 to 500 characters')
  .refine((text) => !/\*[^/:]*\*/.test(text), 'must have at most one * between two of / and :');

const pipelineRuleSchema = z.strictObject(
  {
    /** What each of these claims of a token must be: one of the patterns. */
    claims: z
      .record(
        name,
        z.preprocess(
          (value) => (Array.isArray(value) ? value : [value]),
          z.array(patternSchema).min(1, 'must have a pattern'),
        ),
        'must be a mapping of claims',
      )
      .refine(
        (claims) => repositoryClaims.some((claim) => claims[claim]?.every(namesItsOwner) === true),
        `must name the repository: one of ${repositoryClaims.join(', ')}, without * before the first /`,
      ),
    /** What such a pipeline may do, always in a named laboratory. */
    roles: z
      .array(
        z
          .string('must be a role')
          .regex(/^(dry_runner|deployer):.+$/, 'must be dry_runner:<lab> or deployer:<lab>'),
        'must be a list of roles',
      )
      .min(1, 'must have a role'),
  },
  'must be a mapping with claims and roles',
);

const pipelineSchema = z.strictObject(
  {
    /** Equals `iss` of its tokens. */
    issuer: trustedAddress.refine((text) => !text.includes('@'), 'must not contain @'),
    /** `aud` of a token must equal it. */
    audience: name,
    /** Life of the tokens of this service that pipelines get, in minutes. */
    token_minutes: count(1, 60, 15),
    /** A pipeline gets the roles of all rules that its token keeps. */
    rules: z.array(pipelineRuleSchema, 'must be a list of rules').min(1, 'must have a rule'),
  },
  'must be a mapping with issuer, audience and rules',
);

export type PipelineSettings = z.infer<typeof pipelineSchema>;

const authMapping = mapping({
  /** `tokens`: every request needs a token. `off`: everybody who reaches the gateway may do everything. */
  type: z.enum(['off', 'tokens'], 'must be off or tokens').default('off'),
  /** Allows `off` although other computers reach the gateway. */
  off_anywhere: z
    .preprocess(
      (value) => (value === 'true' ? true : value === 'false' ? false : value),
      z.boolean('must be true or false'),
    )
    .default(false),
  /** Also accept tokens of this OpenID Connect issuer. */
  oidc: oidcSchema.optional(),
  /** Issuers whose signed tokens pipelines exchange for short-lived tokens of this service. */
  pipelines: z
    .array(pipelineSchema, 'must be a list of issuers')
    .refine(
      (all) => new Set(all.map(({ issuer }) => issuer)).size === all.length,
      'must name each issuer once',
    )
    .default([]),
  /** Longest life of a session of a browser, in hours. */
  session_hours: count(1, 720, 12),
  /** Time without a request after which a session ends, in minutes. */
  session_idle_minutes: count(1, 43_200, 60),
});

/** Authentication of the REST interface. */
export const authSchema = authMapping
  .refine(({ type, oidc }) => type === 'tokens' || oidc === undefined, {
    path: ['oidc'],
    message: 'has no effect without type: tokens',
  })
  .refine(({ type, pipelines }) => type === 'tokens' || pipelines.length === 0, {
    path: ['pipelines'],
    message: 'has no effect without type: tokens',
  })
  .refine(
    ({ oidc, pipelines }) =>
      !pipelines.some(({ issuer, audience }) => issuer === oidc?.issuer && audience === oidc.audience),
    {
      path: ['pipelines'],
      message: 'must have another audience than oidc: a token of a pipeline would be one of a person',
    },
  );

export type AuthSettings = z.infer<typeof authSchema>;

/** Keys of the mapping at a path within `auth`. */
export function knownAuthKeys([key, ...inside]: readonly PropertyKey[]): string[] {
  if (key === undefined) return Object.keys(authMapping.shape);
  if (key === 'oidc') return Object.keys((inside[0] === 'client' ? clientSchema : oidcSchema).shape);
  return Object.keys((inside[1] === 'rules' ? pipelineRuleSchema : pipelineSchema).shape);
}
