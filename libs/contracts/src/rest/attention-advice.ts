import { z } from 'zod';
import type { JsonObject } from '../json.js';
import type { AttentionAction } from '../vocabulary.js';
import type { AttentionChoice, AttentionKind, AttentionWarning } from './attention.js';

/** What the advice about an attention item is made of. */
export interface AttentionFacts {
  kind: AttentionKind;
  reason: { code: string };
  /** `<lab>.<device>`. */
  device: string | null;
  computer: string | null;
  /** The facts that the engine collected when it opened the item. An older item may lack some. */
  known: JsonObject;
  /** The task belongs to a protocol run. */
  inRun: boolean;
  /** The task, or its run, is being stopped. */
  isStopping: boolean;
}

/** What each decision leads to. */
const effects: Readonly<Record<AttentionAction, (facts: AttentionFacts) => string>> = {
  completed: (facts) =>
    `the task is completed with the outputs that you give${afterTask(facts, '; its run goes on')}`,
  failed: (facts) =>
    `the task has failed and is not repeated${afterTask(facts, '; its run fails, or goes on without the task under the policy skip')}`,
  retry: ({ known }) =>
    `the task starts again from its beginning; ${
      factsOf(known).effects === 0
        ? 'it has made no effect'
        : 'look first whether what it has done may be done again'
    }`,
  idle: ({ reason }) =>
    reason.code === 'device_faulted'
      ? 'the agent starts the device again with _initialize, which may move it'
      : 'you say that the device stands still; the agent starts it again with _initialize, which may move it',
  lost: () =>
    'you say that the computer will not return in its earlier state; each task that ran there becomes a question of its own',
  keep_waiting: () => 'the task goes on, and the service asks again after the same time',
  cancel: () => 'the task is asked to stop, as by svc cancel',
  acknowledge: () => 'the item closes, and what is active stays as it is',
};

function afterTask({ inRun, isStopping }: AttentionFacts, goesOn: string): string {
  if (isStopping) return '; nothing else starts, because the work is being stopped';
  return inRun ? goesOn : '';
}

/** The decisions with what each leads to, in plain sentences. */
export function attentionChoices(
  facts: AttentionFacts,
  actions: readonly AttentionAction[],
): AttentionChoice[] {
  return actions.map((action) => ({ action, effect: effects[action](facts) }));
}

/** What a person should look at before a decision: places, each with a question. */
export function attentionLookAt(facts: AttentionFacts): string[] {
  const { kind, reason } = facts;
  const questions = Object.hasOwn(ofWarnings, reason.code)
    ? ofWarnings[reason.code as AttentionWarning]
    : ofDecisions[kind];
  return questions(facts, factsOf(facts.known));
}

type Questions = (facts: AttentionFacts, known: Known) => string[];

const ofDecisions: Readonly<Record<AttentionKind, Questions>> = {
  task: aboutTask,
  device: ({ device, computer, reason }, { in_doubt: doubts }) => [
    ...doubts.map((call) => doubtQuestion(place(device, computer), call)),
    reason.code === 'device_faulted'
      ? `${place(device, computer)}: is the cause removed, and may it be initialised?`
      : `${place(device, computer)}: does it stand still, and may it be initialised?`,
  ],
  process: ({ computer }) => [`${computer ?? ''}: is it a process of this service?`],
  agent: ({ computer }, { devices, silent_since: since }) => [
    `computer ${computer ?? ''}: is it on, does its agent run, and does it reach the broker?${sinceWords('silent since', since)}`,
    ...devices.map(({ device }) => `${place(device, computer)}: does it move?`),
  ],
};

const ofWarnings: Readonly<Record<AttentionWarning, Questions>> = {
  runs_long: ({ computer }, { devices, started_at: since }) =>
    devices.length === 0
      ? [`computer ${computer ?? ''}: does the task still advance?${sinceWords('it runs since', since)}`]
      : devices.map(
          ({ device }) =>
            `${device}: does it still work for the task?${sinceWords('the task runs since', since)}`,
        ),
  device_not_responding: ({ device, computer }, { call, silent_since: since }) => [
    `${place(device, computer)}: ${
      call === null
        ? `why does its process block?${sinceWords('silent since', since)}`
        : `does ${callText(call)} still move it?${sinceWords('begun at', call.began_at ?? null)}`
    }`,
  ],
  device_asks: ({ device, computer, known }) => [
    `${place(device, computer)}: ${typeof known['question'] === 'string' ? known['question'] : 'what does it ask for?'}`,
  ],
  messages_refused: ({ computer }) => [
    `${computer ?? ''}: which program is it, who started it, and whose credentials for the broker does it use?`,
  ],
  second_agent: ({ computer }) => [
    `every other computer: does an agent run there with the name ${computer ?? ''}?`,
  ],
  agent_incompatible: ({ computer }) => [
    `computer ${computer ?? ''}: which release of the agent runs there, and was it left out of an update?`,
  ],
  clock_skew: ({ computer }) => [`computer ${computer ?? ''}: which clock sets its time?`],
  ledger_unwritable: ({ computer }) => [`computer ${computer ?? ''}: is its disk full or read-only?`],
  restored: () => [
    'instruments and samples: which queued tasks were done after that moment?',
    'tokens and agents: which were revoked after that moment?',
  ],
  backup_waits: () => [
    'place of the backup: is its disk mounted and not full, or its bucket reachable?',
    'what do "svc backup list" and the terminal of "svc start" say?',
  ],
  deployment_failed: ({ computer }) => [
    `${computer ?? ''}: which devices did not come up, and what does their log say? "svc pkg versions" has the reason`,
    'the pipeline: mend the version and deploy it again, or activate another one',
  ],
  quota_nearly_used: () => [
    '"svc usage": what does it store, and what is its limit?',
    'its ended work: what may be deleted, or should the quota be raised?',
  ],
  waits_for_quota: () => [
    '"svc usage": which quota has no room?',
    'its ended work: what may be deleted, or should the quota be raised?',
  ],
  rollout_halted: ({ computer }) => [
    `computer ${computer ?? ''}: does its agent run, and what does its log say of the update?`,
  ],
};

function aboutTask({ computer }: AttentionFacts, known: Known): string[] {
  const { devices, effects: made, in_doubt: doubts, last_confirmed: last, resources } = known;
  const since = sinceWords('the task started at', known.started_at);
  const questions = doubts.map((call) => {
    const of = devices.find(({ device }) => device === call.device);
    return doubtQuestion(place(call.device ?? null, of?.computer ?? computer), call) + since;
  });
  if (made === 0 && doubts.length === 0) return ['nothing: the task has begun no call of kind effect'];
  for (const { device, computer: on } of devices) {
    if (doubts.some((call) => call.device === device)) continue;
    const ended = last?.device === device ? `; the last call that ended is ${last.function}` : '';
    questions.push(`${place(device, on ?? computer)}: how did the task leave it?${since}${ended}`);
  }
  for (const { name } of resources) questions.push(`resource ${name}: how did the task leave it?`);
  return questions.length > 0 ? questions : [`computer ${computer ?? ''}: how far did the task get?${since}`];
}

function doubtQuestion(where: string, call: Call): string {
  return `${where}: was ${callText(call)}${call.by === undefined ? '' : `, called by ${call.by},`} done?`;
}

function place(device: string | null, computer: string | null): string {
  return `${device ?? 'the device'}${computer === null ? '' : ` on ${computer}`}`;
}

function sinceWords(words: string, at: string | null): string {
  return at === null ? '' : ` (${words} ${at})`;
}

/** Longest text of arguments within a question, in characters. */
const longestText = 200;

function callText({ function: name, arguments: given }: Call): string {
  const text = given === undefined ? '...' : JSON.stringify(given);
  return `${name}(${text.length <= longestText ? text : `${text.slice(0, longestText)}…`})`;
}

const call = z.object({
  function: z.string(),
  device: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  by: z.string().optional(),
  began_at: z.string().optional(),
});
type Call = z.infer<typeof call>;

const moment = z.string().nullable().catch(null);

/** The known facts of all kinds of items. What is absent or of an unknown shape counts as not known. */
const knownFacts = z.object({
  devices: z
    .array(
      z.union([
        z.object({ device: z.string(), computer: z.string().nullable() }),
        z.string().transform((device) => ({ device, computer: null })),
      ]),
    )
    .catch([]),
  resources: z.array(z.object({ name: z.string() })).catch([]),
  in_doubt: z.union([z.array(call), call.transform((only) => [only])]).catch([]),
  last_confirmed: call.nullable().catch(null),
  effects: z.number().nullable().catch(null),
  call: call.nullable().catch(null),
  started_at: moment,
  silent_since: moment,
});
type Known = z.infer<typeof knownFacts>;

const factsOf = (known: JsonObject): Known => knownFacts.parse(known);
