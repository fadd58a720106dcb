import {
  catalogue,
  orchestratorRequests,
  type AnyEvent,
  type AnyRequest,
  type PersonalAct,
  type ProcessRole,
} from '@lab/contracts';
import { done, type Attack, type Scene } from './attacks.js';
import type { Marks, Thief } from './thief.js';

/** Thieves of other credentials than those of one agent. */
export interface Thieves {
  gateway: Thief;
  optimizer: Thief;
  tool: Thief;
  /** With the credentials of the victim, whose own agent runs. */
  twin: Thief;
}

/** Signs an act as a gateway. The thief has overheard what it signed, and has no key. */
export type Overheard = (
  act: Omit<PersonalAct, 'at_ms' | 'body'> & { body: unknown; ageMs?: number },
) => string;

/** Attacks of thieves who have the credentials of a process that is no agent, or those of the victim itself. */
export function attacksOnIdentity(thieves: Thieves, scene: Scene, overheard: Overheard): Attack[] {
  return [
    ...asAPerson(thieves.gateway, scene, overheard),
    ...beyondTheRole('tool', thieves.tool, scene),
    ...asAnotherOptimizer(thieves.optimizer),
    ...asTheVictim(thieves.twin, scene),
  ];
}

function asAPerson(thief: Thief, { lab, device }: Scene, overheard: Overheard): Attack[] {
  const { pauseQueue, releaseStop, resumeQueue, submitTask } = orchestratorRequests;
  const pause = (name: string, marks: () => Marks): Attack => ({
    name: `pause the queue as root ${name}`,
    attempt: async () => done(await thief.send(pauseQueue, {}, { by: 'root' }, marks())),
  });
  const signed = (kind: string, id: string, body: unknown, ageMs = 0): Marks => ({
    id,
    act: overheard({ kind, id, body, by: null, epoch: 0, ageMs }),
  });
  const statement = {
    kind: pauseQueue.name,
    id: 'forged',
    body: '',
    by: 'root',
    epoch: 0,
    at_ms: Date.now(),
  };
  const text = Buffer.from(JSON.stringify(statement)).toString('base64url');
  const forged = `${text}.${Buffer.alloc(64).toString('base64url')}`;
  return [
    pause('without a signature', () => ({})),
    pause('with a forged signature', () => ({ id: 'forged', act: forged })),
    pause('with the signature of another act', () => signed(resumeQueue.name, 'other-act', { by: 'root' })),
    pause('with the signature of another person', () => signed(pauseQueue.name, 'other-body', { by: 'ada' })),
    pause('with an old signature', () => signed(pauseQueue.name, 'old', { by: 'root' }, 120_000)),
    {
      name: 'repeat the act of a person',
      attempt: async () => {
        const body = { by: 'root' };
        const marks = signed(resumeQueue.name, 'repeated', body);
        const first = await thief.send(resumeQueue, {}, body, marks);
        if (first.kind !== 'answer') return `the act itself was not done: ${JSON.stringify(first)}`;
        return done(await thief.send(resumeQueue, {}, body, marks));
      },
    },
    {
      name: 'submit a task as root',
      attempt: async () => {
        const devices = { multiplier: { lab_name: lab, name: device } };
        const input_parameters = { number: 6, factor: 7 };
        const task = { name: 'stolen', type: 'multiply', owner: 'root', devices, input_parameters };
        return done(await thief.send(submitTask, {}, task));
      },
    },
    {
      name: 'release all emergency stops as root',
      attempt: async () => done(await thief.send(releaseStop, {}, { id: null, by: 'root' })),
    },
  ];
}

/** Every message that the role does not send, with names of the victim. */
function beyondTheRole(role: ProcessRole, thief: Thief, { victim, inc, lab, device }: Scene): Attack[] {
  const named: Record<string, string> = { computer: victim, inc, lab, device, caller: victim };
  const foreign = catalogue.filter(
    (definition: AnyRequest | AnyEvent) => definition.from[role] === undefined,
  );
  return foreign.map((definition) => ({
    name: `send ${definition.name} as a ${role}`,
    attempt: async () => {
      const tokens = [...(definition.subject as string).matchAll(/\{(\w+)\}/g)].map(
        ([, token = '']) => token,
      );
      const names = Object.fromEntries(tokens.map((token) => [token, named[token] ?? 'optimizer']));
      const fate = await thief.send(definition, names, {});
      return fate.kind === 'refused by the broker' ? undefined : `the broker carried it: ${fate.kind}`;
    },
  }));
}

/** The worker of the service is called `optimizer`. */
function asAnotherOptimizer(thief: Thief): Attack[] {
  const published = [
    'svc.v1.event.optimizer.optimizer.announced',
    'svc.v1.event.optimizer.optimizer.leaving',
    'svc.v1.event.optimizer.optimizer.lost',
    'svc.v1.event.measured.optimizer.optimizer',
    '_INBOX.orchestrator.orchestrator.x.optimizer.optimizer.1',
  ];
  return [
    {
      name: 'hear the requests to another optimizer',
      attempt: async () =>
        (await thief.hears('svc.v1.optimizer.optimizer.*.open')) ? 'the broker delivers them' : undefined,
    },
    ...published.map((subject) => ({
      name: `publish on ${subject} as another optimizer`,
      attempt: async () => ((await thief.publishes(subject)) ? 'the broker carried it' : undefined),
    })),
  ];
}

function asTheVictim(thief: Thief, { victim, inc, attempt }: Scene): Attack[] {
  const self = { computer: victim };
  const incarnations = Array.from({ length: 100 }, (_, index) => index + 1);
  const hello = { computer: victim, session: 'theft', version: '1', attempts: [], devices: [] };
  const outcome = { kind: 'completed', output_parameters: { stolen: true }, output_resources: {}, files: [] };
  const register = (name: string, more: object): Attack => ({
    name: `register as a second agent ${name}`,
    attempt: async () =>
      done(await thief.send(orchestratorRequests.registerAgent, self, { ...hello, ...more })),
  });
  return [
    register('that reports no ledger', {}),
    register('with the ledger of the first one', { incarnations, sessions: ['invented'] }),
    {
      name: 'report the result of an attempt under an invented incarnation',
      attempt: async () => {
        const body = { attempt_id: attempt, computer: victim, inc: Number(inc) + 7, outcome };
        return done(await thief.send(orchestratorRequests.reportResult, self, body));
      },
    },
  ];
}
