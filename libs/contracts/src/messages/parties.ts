import { ServiceError } from '../errors.js';
import type { AnyEvent, AnyRequest } from './define.js';
import { itself, type Permissions, type ProcessRole } from './process-roles.js';
import { encodeToken } from './subject-tokens.js';

type Definition = AnyRequest | AnyEvent;

/** Stands for an answerer without a name of its own in the subject of an answer. */
const nameless = '_';

/**
 * The permissions of a role, by what the catalogue says of each message.
 *
 * Answers go to `_INBOX.{role}.{name}.{connection}.{answerer role}.{answerer name}.{number}`. So a process hears only what
 * was answered to itself, and answers only what it serves.
 *
 * @param name the name of the process as a token of a subject, or what the broker replaces by it
 */
export function permissionsOf(
  role: ProcessRole,
  name: string,
  catalogue: readonly Definition[],
): Permissions {
  const publish = new Set<string>();
  const subscribe = new Set<string>();
  for (const definition of catalogue) {
    const sends = definition.from[role];
    const hears = definition.to[role];
    if (sends !== undefined) publish.add(patternOf(definition, sends, name));
    if (hears !== undefined) subscribe.add(patternOf(definition, hears, name));
    if (definition.kind === 'event') continue;
    if (sends !== undefined) subscribe.add(`_INBOX.${role}.${name}.>`);
    if (hears === undefined) continue;
    const answerer = tokenOfItself(hears) === undefined ? nameless : name;
    for (const caller of Object.keys(definition.from))
      publish.add(`_INBOX.${caller}.*.*.${role}.${answerer}.*`);
  }
  return { publish: [...publish].sort(), subscribe: [...subscribe].sort() };
}

/**
 * The process that answers a request, as two tokens of the subject of its answer: role and name.
 *
 * @throws ServiceError `bad_request` when no role answers a request with these tokens
 */
export function answererOf(definition: AnyRequest, tokens: Readonly<Record<string, string>>): string {
  for (const { role, words, token } of answerersOf(definition)) {
    if (words.some(([each, value]) => tokens[each] !== value)) continue;
    return `${role}.${token === undefined ? nameless : encodeToken(tokens[token] ?? '')}`;
  }
  throw new ServiceError('bad_request', `no process answers ${definition.name} with these names`);
}

interface Answerer {
  role: string;
  /** Tokens of the subject that must have these values. */
  words: readonly [token: string, value: string][];
  /** Token of the subject that is the name of the process; undefined: the role answers without a name. */
  token: string | undefined;
}

const known = new WeakMap<object, readonly Answerer[]>();

/** Calculated once for each definition, because every request asks. */
function answerersOf(definition: AnyRequest): readonly Answerer[] {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const answerers = Object.entries(definition.to as Record<string, Fixed>).map(([role, fixed]) => ({
    role,
    words: Object.entries(fixed).filter((word): word is [string, string] => word[1] !== itself),
    token: tokenOfItself(fixed),
  }));
  known.set(definition, answerers);
  return answerers;
}

type Fixed = Readonly<Record<string, string | undefined>>;

function tokenOfItself(fixed: Fixed): string | undefined {
  return Object.keys(fixed).find((token) => fixed[token] === itself);
}

function patternOf({ subject }: Definition, fixed: Fixed, name: string): string {
  return (subject as string).replace(/\{(\w+)\}/g, (_, token: string) => {
    const value = fixed[token] ?? '*';
    return value === itself ? name : value;
  });
}
