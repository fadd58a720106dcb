import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeKeys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { certifyServer, makeCertificateAuthority, type CertifiedKey } from '@lab/trust/certificates';
import { fingerprintOf } from '@lab/trust/fingerprint';

/** An answer of a stand-in. A text is sent as it is; `broken`: the connection ends without an answer. */
export type Answer = { status?: number; body: unknown } | 'broken';

interface Options {
  /** Default: a new one. */
  authority?: CertifiedKey;
  /** Names in the certificate. */
  names?: [string, ...string[]];
  /** When the certificate was made, in milliseconds since 1970. It is valid for 90 days. */
  madeAt?: number;
  /** What `GET /agents/ca` sends. Default: the certificate of the authority. */
  sends?: string;
}

/** An HTTPS server in the place of a gateway, which answers as a test wants: a gateway itself is never wrong in these ways. */
export class StandIn {
  /** What was asked: path and body. */
  readonly asked: [string, Record<string, unknown>][] = [];
  /** The answers to requests by their path; those that are missing are answered with 404. */
  readonly answers: Record<string, (body: Record<string, unknown>) => Answer | Promise<Answer>>;
  readonly issuer = new AgentIssuer(agentIssuerKey(makeKeys()));

  private constructor(
    readonly authority: CertifiedKey,
    readonly server: Server,
    sent: string,
  ) {
    this.answers = {
      '/agents/ca': () => ({ body: sent }),
      '/agents/join': ({ key }) => this.admission(key, 'bench_a'),
      '/health/live': () => ({ body: {} }),
    };
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(options: Options = {}): Promise<StandIn> {
    const authority = options.authority ?? (await makeCertificateAuthority('a service', Date.now()));
    const { names = ['127.0.0.1'], madeAt = Date.now(), sends = authority.certificate } = options;
    const { certificate, key } = await certifyServer(authority, names, madeAt, 90);
    const server = createServer({ cert: certificate, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new StandIn(authority, server, sends);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A token of the service with this authority. */
  get token(): string {
    return `svc_join_${fingerprintOf(this.authority.certificate)}.AAAAAAAAAAAA.${'S'.repeat(43)}`;
  }

  get paths(): string[] {
    return this.asked.map(([path]) => path);
  }

  /** What a gateway answers to an agent that it admits. @param forMs how long the statement is valid */
  async admission(key: unknown, computer: string, forMs = 7 * 86_400_000): Promise<Answer> {
    const until = Date.now() + forMs;
    return {
      body: {
        ...{ computer, brokers: this.url.replace('https', 'wss'), authority: this.issuer.authority },
        statement: await this.issuer.statement(String(key), computer, until),
        valid_until: new Date(until).toISOString(),
      },
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const path = request.url ?? '';
    this.asked.push([path, body]);
    const answer = (await this.answers[path]?.(body)) ?? { status: 404, body: { detail: `No ${path}.` } };
    if (answer === 'broken') return void request.socket.destroy();
    const { status = 200, body: said } = answer;
    response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said));
  }
}
