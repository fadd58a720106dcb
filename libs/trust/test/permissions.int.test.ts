import { catalogue, encodeToken, itself, processRoles, subjectOf, type ProcessRole } from '@lab/contracts';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import {
  connect,
  credsAuthenticator,
  errors,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nats: SecuredNats;
beforeAll(async () => {
  nats = await startSecuredNats();
});
afterAll(() => nats.stop());

const me = 'bench b';
const victim = 'bench_a';

async function connected(role: ProcessRole, name: string): Promise<NatsConnection> {
  const credentials = new TextEncoder().encode(await nats.credentials(role, name));
  return connect({ servers: nats.url, authenticator: credsAuthenticator(credentials), reconnect: false });
}

/** The subjects of those tried that the server refused, in their order. */
async function refused(
  connection: NatsConnection,
  tried: readonly string[],
  attempt: (subject: string) => void,
): Promise<string[]> {
  const found: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        found.push(status.error.subject);
  })();
  for (const subject of tried) attempt(subject);
  await connection.flush();
  await new Promise(setImmediate);
  return found;
}

/** A subject of a message, in which every name is that of somebody else. */
const subjects = (fill: (token: string) => string): string[] =>
  catalogue.map((definition) => {
    const tokens = [...definition.subject.matchAll(/\{(\w+)\}/g)].map(([, token = '']) => [
      token,
      fill(token),
    ]);
    return subjectOf(definition, Object.fromEntries(tokens));
  });

describe('a process with credentials', () => {
  it.each(processRoles)(
    'of the role %s publishes what the catalogue says, and nothing else',
    async (role) => {
      const connection = await connected(role, me);
      const tried = subjects(() => victim);
      const allowed = tried.filter((_, index) => {
        const fixed: Readonly<Record<string, string | undefined>> | undefined = catalogue[index]?.from[role];
        return fixed !== undefined && Object.keys(fixed).length === 0;
      });
      const inboxes = [
        '_INBOX.gateway.g.x.agent.bench_a.1',
        '_INBOX.tool.t.x.1',
        '$SYS.REQ.SERVER.PING',
        'a',
      ];
      const no = await refused(connection, [...tried, ...inboxes], (subject) => connection.publish(subject));
      expect(no).toEqual([...tried, ...inboxes].filter((subject) => !allowed.includes(subject)));
      await connection.close();
    },
  );

  it.each(processRoles)('of the role %s hears nothing that is meant for another', async (role) => {
    const connection = await connected(role, me);
    const tried = subjects(() => victim);
    const allowed = tried.filter((_, index) => {
      const fixed: Readonly<Record<string, string | undefined>> | undefined = catalogue[index]?.to[role];
      return fixed !== undefined && Object.keys(fixed).length === 0;
    });
    const others = ['>', '_INBOX.>', `_INBOX.${role}.>`, `_INBOX.${role}.${victim}.>`, 'svc.v1.>', '$SYS.>'];
    const no = await refused(connection, [...tried, ...others], (subject) => {
      connection.subscribe(subject, { callback: () => undefined });
    });
    expect(no).toEqual([...tried, ...others].filter((subject) => !allowed.includes(subject)));
    await connection.close();
  });

  it('may use every subject of its own name', async () => {
    for (const role of processRoles) {
      const connection = await connected(role, me);
      for (const side of ['from', 'to'] as const) {
        const tried = catalogue.flatMap((definition) => {
          const fixed = definition[side][role] as Readonly<Record<string, string>> | undefined;
          if (fixed === undefined) return [];
          const tokens = [...definition.subject.matchAll(/\{(\w+)\}/g)].map(([, token = '']) => {
            const value = fixed[token] ?? victim;
            return [token, value === itself ? me : value];
          });
          return [subjectOf(definition, Object.fromEntries(tokens))];
        });
        const no = await refused(connection, tried, (subject) => {
          if (side === 'from') connection.publish(subject);
          else connection.subscribe(subject, { callback: () => undefined });
        });
        expect([role, side, no]).toEqual([role, side, []]);
      }
      await connection.close();
    }
  });

  it('answers on no other subject than its own, whatever a request asks for', async () => {
    const [gateway, agent] = await Promise.all([connected('gateway', 'g'), connected('agent', me)]);
    const asked = `svc.v1.agent.${encodeToken(me)}.1.clock`;
    const heard = new Promise<string>((resolve) => {
      agent.subscribe(asked, { callback: (_, message) => resolve(message.reply ?? '') });
    });
    await agent.flush();
    const reply = `_INBOX.gateway.g.x.agent.${victim}.1`;
    gateway.publish(asked, '', { reply });
    expect(await heard).toBe(reply);
    expect(await refused(agent, [reply], (subject) => agent.publish(subject))).toEqual([reply]);
    await Promise.all([gateway.close(), agent.close()]);
  });

  it('hears the answers to itself', async () => {
    const connection = await connected('agent', me);
    const inbox = `_INBOX.agent.${encodeToken(me)}.1.>`;
    expect(
      await refused(connection, [inbox], (subject) => {
        connection.subscribe(subject, { callback: () => undefined });
      }),
    ).toEqual([]);
    await connection.close();
  });
});

describe('a broker with the identity of a service', () => {
  const options = (more: NodeConnectionOptions): NodeConnectionOptions => ({
    servers: nats.url,
    reconnect: false,
    ...more,
  });

  it('refuses a client without credentials, and one with a password', async () => {
    await expect(connect(options({}))).rejects.toBeInstanceOf(errors.AuthorizationError);
    await expect(connect(options({ user: 'svc', pass: 'svc' }))).rejects.toBeInstanceOf(
      errors.AuthorizationError,
    );
  });

  it('refuses credentials that another service has made', async () => {
    const other = await startSecuredNats();
    const foreign = new TextEncoder().encode(await other.credentials('gateway', 'gateway'));
    await other.stop();
    await expect(connect(options({ authenticator: credsAuthenticator(foreign) }))).rejects.toBeInstanceOf(
      errors.AuthorizationError,
    );
  });
});
