import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { startServiceStack, type Stack } from '@lab/testkit';
import { readKeys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials } from '@lab/trust/agent-key';
import { keyPairOf, partsOf } from '@lab/trust/nkeys';
import { GatewayDoor } from '../../src/joining/gateway-door.js';

/** A service with HTTPS that computers can join, and what an administrator does there. */
export class JoinableService {
  private constructor(
    readonly stack: Stack,
    /** PEM certificate of its authority at its start. */
    readonly authority: string,
    private readonly door: GatewayDoor,
  ) {}

  /** @param laboratory that it loads. @param userDir folder of the packages; undefined: those of the repository */
  static async start(laboratory = 'multiplication_lab', userDir?: string): Promise<JoinableService> {
    const stack = await startServiceStack({
      env: { SVC_HTTPS_CERTIFICATE: 'own', SVC_HTTPS_NAMES: 'lab-server', SVC_LABS: laboratory },
      ...(userDir === undefined ? {} : { userDir }),
    });
    const present = (): string => readFileSync(join(stack.dataDir, 'ca.pem'), 'utf8');
    // The service may replace its authority.
    const way = {
      get authorities() {
        return present();
      },
    };
    return new JoinableService(stack, present(), new GatewayDoor(stack.url, way));
  }

  get url(): string {
    return this.stack.url;
  }

  /** @returns the token of a new invitation */
  async invite(computer: string, more: object = {}): Promise<string> {
    const { answer } = await this.door.post('/api/invitations', { computer, ...more });
    return (answer as { token: string }).token;
  }

  /** Sends a request of a person. */
  async ask(path: string, body: object): Promise<unknown> {
    return (await this.door.post(path, body)).answer;
  }

  /** Reads a record. */
  async read<T>(path: string): Promise<T> {
    return JSON.parse(await this.door.get(path)) as T;
  }

  async approve(computer: string): Promise<void> {
    await this.door.post(`/api/enrolments/${computer}/approve`, {});
  }

  /** Names of the computers whose agents are online. */
  async online(): Promise<string[]> {
    const { items } = await this.read<{ items: { computer: string; state: string }[] }>('/api/agents');
    return items.filter(({ state }) => state === 'online').map(({ computer }) => computer);
  }

  /** The same credentials with another end. @param inMs milliseconds from now */
  async ending(credentials: string, computer: string, inMs: number): Promise<string> {
    const keys = readKeys(readFileSync(join(this.stack.dataDir, 'secrets', 'broker-keys'), 'utf8'));
    const issuer = new AgentIssuer(agentIssuerKey(keys));
    const { seed } = partsOf(credentials);
    const statement = await issuer.statement(keyPairOf(seed).getPublicKey(), computer, Date.now() + inMs);
    return agentCredentials({ seed }, statement, issuer.authority);
  }

  async revoke(computer: string): Promise<void> {
    await this.door.post(`/api/enrolments/${computer}/revoke`, { reason: 'a test' });
  }
}

/** An HTTP proxy. @param login user and password that it wants; undefined: it lets everybody through */
export async function startProxy(
  login?: string,
): Promise<{ url: string; targets: string[]; stop: () => Promise<void> }> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    sockets.add(client);
    client.on('error', () => undefined /* whoever is behind it is gone */);
    const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    targets.push(url);
    const [host = '', port = ''] = url.split(/:(?=\d+$)/);
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(client);
      client.pipe(target);
    });
    sockets.add(target);
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
