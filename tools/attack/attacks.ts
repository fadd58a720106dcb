import {
  agentEvents,
  agentRequests,
  catalogue,
  deviceFileRequests,
  effectRequests,
  logRequests,
  orchestratorEvents,
  orchestratorRequests,
  peerRequests,
  type AnyEvent,
  type AnyRequest,
} from '@lab/contracts';
import { connect } from '@nats-io/transport-node';
import type { Fate, Thief } from './thief.js';

/** What the thief has found out, and whom it wants to harm. */
export interface Scene {
  url: string;
  /** Computer of the stolen credentials. */
  thief: string;
  /**
   * Another computer, with its incarnation, a device of it, an attempt that runs there, and an attempt that has a call in
   * progress there.
   */
  victim: string;
  inc: string;
  lab: string;
  device: string;
  attempt: string;
  calling: string;
}

export interface Attack {
  name: string;
  /** @returns what the thief has achieved; undefined: nothing */
  attempt(): Promise<string | undefined>;
}

/** Messages that every agent may send to everybody, each with the reason. */
const open: ReadonlySet<AnyRequest | AnyEvent> = new Set<AnyRequest | AnyEvent>([
  // Stopping is open to everybody; releasing is not.
  agentEvents.emergencyStop,
  // Code is no secret among the processes that execute it, and its hash is its name.
  orchestratorRequests.fetchModule,
]);

/** Largest number that JSON carries exactly: an epoch or a fence that nobody exceeds. */
const huge = Number.MAX_SAFE_INTEGER;

/** Every attack of a thief with the credentials of one agent, in an order in which none hides another. */
export function attacksOf(thief: Thief, scene: Scene): Attack[] {
  return [
    ...withoutCredentials(scene),
    ...catalogue.flatMap((definition) => onSubject(thief, scene, definition)),
    ...onInboxes(thief, scene),
    ...onDevice(thief, scene),
    ...inTheNameOfAnother(thief, scene),
  ];
}

function withoutCredentials({ url }: Scene): Attack[] {
  const connects = async (options: object): Promise<string | undefined> => {
    try {
      const connection = await connect({ servers: url, reconnect: false, timeout: 2_000, ...options });
      await connection.close();
      return 'connected';
    } catch {
      return undefined;
    }
  };
  return [
    { name: 'connect as nobody', attempt: () => connects({}) },
    { name: 'connect with a password', attempt: () => connects({ user: 'svc', pass: 'svc' }) },
    { name: 'connect with a token', attempt: () => connects({ token: 'svc' }) },
  ];
}

/** Names of the victim for every token, which the thief must not use; the thief's own where it names a caller. */
function tokensOfVictim({ subject }: { subject: string }, scene: Scene): Record<string, string> {
  const { victim, inc, lab, device } = scene;
  const named: Record<string, string> = { computer: victim, inc, lab, device, caller: victim };
  const tokens = [...subject.matchAll(/\{(\w+)\}/g)].map(([, token = '']) => token);
  return Object.fromEntries(tokens.map((token) => [token, named[token] ?? 'gateway']));
}

function onSubject(thief: Thief, scene: Scene, definition: AnyRequest | AnyEvent): Attack[] {
  const tokens = tokensOfVictim(definition, scene);
  const subject = (definition.subject as string).replace(
    /\{(\w+)\}/g,
    (_, token: string) => tokens[token] ?? '',
  );
  const hearable =
    definition.to.agent !== undefined && Object.keys(definition.to.agent as object).length === 0;
  return [
    ...(open.has(definition)
      ? []
      : [
          {
            name: `send ${definition.name} as another`,
            attempt: async () => {
              const fate = await thief.send(definition, tokens, {}, { epoch: huge });
              return fate.kind === 'refused by the broker'
                ? undefined
                : `the broker carried it: ${fate.kind}`;
            },
          },
        ]),
    // What every agent hears is meant for every agent.
    ...(hearable || definition === agentEvents.heartbeat
      ? []
      : [
          {
            name: `hear ${definition.name} of another`,
            attempt: async () => ((await thief.hears(subject)) ? 'the broker delivers it' : undefined),
          },
        ]),
  ];
}

function onInboxes(thief: Thief, { victim }: Scene): Attack[] {
  const heard = [
    '>',
    '_INBOX.>',
    '_INBOX.agent.>',
    `_INBOX.agent.${victim}.>`,
    '_INBOX.gateway.>',
    '$SYS.>',
    'svc.>',
  ];
  const published = [
    `_INBOX.gateway.gateway.x.agent.${victim}.1`,
    '_INBOX.gateway.gateway.x.orchestrator._.1',
    `_INBOX.agent.${victim}.x.orchestrator._.1`,
    `_INBOX.orchestrator.orchestrator.x.agent.${victim}.1`,
    '_INBOX.orchestrator.orchestrator.x.optimizer._.1',
    '$SYS.REQ.CLAIMS.UPDATE',
    '$SYS.REQ.SERVER.PING',
  ];
  return [
    ...heard.map((subject) => ({
      name: `hear ${subject}`,
      attempt: async () => ((await thief.hears(subject)) ? 'the broker delivers it' : undefined),
    })),
    ...published.map((subject) => ({
      name: `publish on ${subject}`,
      attempt: async () => ((await thief.publishes(subject)) ? 'the broker carried it' : undefined),
    })),
  ];
}

/** Calls of the thief, under its own name, on the device of the victim. */
function onDevice(thief: Thief, scene: Scene): Attack[] {
  const { victim, inc, lab, device, attempt } = scene;
  const tokens = { computer: victim, inc, caller: scene.thief, lab, device };
  const key = `${lab}.${device}`;
  const forged = (fence: number): string => {
    const statement = { lab, device, fence, attempt_id: attempt, caller: scene.thief };
    return `${Buffer.from(JSON.stringify(statement)).toString('base64url')}.${Buffer.alloc(64).toString('base64url')}`;
  };
  const call = (name: string, more: object, fence: number | undefined): Attack => ({
    name: `call ${key} ${name}`,
    attempt: async () => {
      const clock = await thief.send(
        peerRequests.readClock,
        { computer: victim, inc, caller: scene.thief },
        {},
      );
      const now = clock.kind === 'answer' ? (clock.body as { now_ms: number }).now_ms : 0;
      const body = {
        call_id: `theft/${name}`,
        function: 'multiply',
        arguments: { a: 2, b: 3 },
        as_of_ms: now,
      };
      const marks = { epoch: huge, ...(fence === undefined ? {} : { fence: { [key]: fence } }) };
      return done(await thief.send(peerRequests.callDevice, tokens, { ...body, ...more }, marks));
    },
  });
  return [
    call('as a task without a grant', { attempt_id: attempt }, 1),
    call('with a fence that nobody exceeds', { attempt_id: attempt }, huge),
    call('with a forged grant', { attempt_id: attempt, grant: forged(huge) }, huge),
    call('without an attempt', {}, undefined),
    {
      name: 'stop the calls of an attempt of another computer',
      attempt: async () => {
        const to = { computer: victim, inc, caller: scene.thief };
        const asked = { attempt_id: scene.calling, reason: 'theft' };
        const fate = await thief.send(peerRequests.stopCalls, to, asked);
        const stopped = fate.kind === 'answer' && (fate.body as { moving: boolean }).moving;
        return stopped ? 'the call was stopped' : undefined;
      },
    },
  ];
}

/** What the thief may say of itself, about somebody else. */
function inTheNameOfAnother(thief: Thief, scene: Scene): Attack[] {
  const self = { computer: scene.thief };
  const { victim, attempt } = scene;
  const outcome = { kind: 'completed', output_parameters: { stolen: true }, output_resources: {}, files: [] };
  const ticket = { attempt_id: attempt, name: 'stolen.txt', size: 1, sha256: '0'.repeat(64) };
  const attack = (name: string, send: () => Promise<Fate>): Attack => ({
    name,
    attempt: async () => done(await send()),
  });
  return [
    attack('register as another computer', () =>
      thief.send(orchestratorRequests.registerAgent, self, {
        computer: victim,
        session: 'theft',
        version: '1',
        attempts: [],
        devices: [],
      }),
    ),
    attack('report the result of an attempt as its computer', () =>
      thief.send(orchestratorRequests.reportResult, self, {
        attempt_id: attempt,
        computer: victim,
        inc: 1,
        outcome,
      }),
    ),
    {
      name: 'report the result of an attempt of another computer',
      // An answer only says that the report need not be repeated; the caller compares the task before and after.
      attempt: async () => {
        const body = { attempt_id: attempt, computer: scene.thief, inc: 1, outcome };
        await thief.send(orchestratorRequests.reportResult, self, body);
        return undefined;
      },
    },
    attack('store a file of an attempt of another computer', () =>
      thief.send(orchestratorRequests.uploadTicket, self, ticket),
    ),
    attack('fetch a file of an attempt of another computer', () =>
      thief.send(orchestratorRequests.downloadTicket, self, { attempt_id: attempt, handle: 'numbers' }),
    ),
    attack('send code to itself that the orchestrator did not send', () =>
      thief.send(
        agentRequests.assignDevices,
        { computer: victim, inc: scene.inc },
        { devices: [] },
        { epoch: huge },
      ),
    ),
    {
      name: 'announce a leader with an epoch that nobody exceeds, and release emergency stops',
      attempt: async () => {
        const body = { epoch: huge, instance: 'theft', halts: [], released: ['any'] };
        const fate = await thief.send(orchestratorEvents.leading, {}, body);
        return fate.kind === 'refused by the broker' ? undefined : 'the broker carried it';
      },
    },
    attack('write into the log of another computer', () =>
      thief.send(logRequests.append, { computer: victim }, { stream: 's', lines: [] }),
    ),
    attack('write into the record of effects of another computer', () =>
      thief.send(effectRequests.append, { computer: victim }, { wall_ms: 0, effects: [] }),
    ),
    attack('store a file for another computer', () =>
      thief.send(
        deviceFileRequests.upload,
        { computer: victim },
        { id: '0'.repeat(32), size: 1, sha256: '0'.repeat(64) },
      ),
    ),
  ];
}

/** An attack succeeds when somebody did what it asked for. */
export function done(fate: Fate): string | undefined {
  return fate.kind === 'answer' ? `it was done: ${JSON.stringify(fate.body).slice(0, 200)}` : undefined;
}
