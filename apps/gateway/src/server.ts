import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { nestLogger } from '@lab/messaging/nest';
import type { Meter } from '@lab/runtime';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { authenticateRequests, serveSignIn, SessionCookie, WrongTokens } from './access/index.js';
import { AppModule, usualSessions, type Surroundings } from './app.module.js';
import { OpenApiDocument } from './docs/index.js';
import { AgentPackages, BrokerRelay, Enrolments, serveAgents, type BrokerPlace } from './enrolment/index.js';
import { serveDownloads, serveUploads } from './files/index.js';
import {
  CrossOrigin,
  fastifyAdapter,
  hostCheck,
  type HostNames,
  type HttpsFiles,
  readHttpsFiles,
  renewFrom,
  limits,
  type Limits,
  logRequests,
  prepareRequests,
  ProblemFilter,
  type RequestLog,
  scopeRequests,
  Traffic,
} from './http/index.js';
import { measureRequests } from './metrics/index.js';
import { PageFiles, sendPage, servePage } from './page/index.js';
import { refusalOf } from './refusals/index.js';

export interface ServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Address that users are given; default: where the server listens. */
  publicUrl?: string;
  log: RequestLog;
  /** Longest time that a request waits for a leading orchestrator, in milliseconds. Default: not at all. */
  failoverMs?: number;
  /** Origins whose pages may use the interface, for example `https://dashboard.example.org`. Default: none. */
  origins?: readonly string[];
  /** The nodes of the broker to which agents are connected. Default: none is. */
  brokers?: readonly BrokerPlace[];
  /** Encrypts every connection. Default: none is encrypted. */
  https?: HttpsFiles;
  /** Counts requests. Default: they are not counted. */
  meter?: Meter;
  /** Limits that differ from the defaults. */
  limits?: Partial<Limits>;
  /** Addresses and networks of proxies that tell the address of the client. Default: none. */
  trustedProxies?: readonly string[];
  /** Further names by which clients reach the server. Default: none. */
  allowedHosts?: readonly string[];
}

export interface RunningServer {
  /** Address of the server, for example `http://127.0.0.1:8070`. */
  readonly url: string;
  /** Accepts no new requests, and resolves when the current ones are answered. */
  close(): Promise<void>;
}

/**
 * Serves the REST interface over the given surroundings.
 *
 * @throws Error with `code` EADDRINUSE or EACCES when the address is not available
 */
export async function startServer(
  surroundings: Surroundings,
  options: ServerOptions,
): Promise<RunningServer> {
  const bounds = { ...limits, ...options.limits };
  const { authentication, refusals } = surroundings;
  const problems = new ProblemFilter(options.log, (error, request) => {
    const refusal = refusalOf(error, request);
    if (refusal !== undefined) refusals.note(refusal);
  });
  const secret = options.https === undefined ? undefined : readHttpsFiles(options.https);
  let certificate = secret === undefined ? undefined : new X509Certificate(secret.cert);
  const adapter = fastifyAdapter(bounds, problems, options.trustedProxies ?? [], secret);
  const fastify = adapter.getInstance();
  const publicUrl = options.publicUrl ?? urlOf(options, options.port);
  const names: HostNames = {
    host: options.host,
    publicUrl,
    computer: hostname(),
    allowed: options.allowedHosts ?? [],
    certificate: () => certificate,
  };
  prepareRequests(fastify, {
    names,
    crossOrigin: new CrossOrigin(options.origins ?? []),
    traffic: new Traffic(bounds, () => performance.now()),
    limits: bounds,
    problems,
  });
  const wrongTokens = new WrongTokens(bounds.wrongTokensPerMinute, () => performance.now());
  const cookie = new SessionCookie(publicUrl);
  authenticateRequests(fastify, authentication, wrongTokens, cookie);
  logRequests(fastify, options.log);
  scopeRequests(fastify);
  if (options.meter !== undefined) measureRequests(fastify, options.meter);
  serveUploads(fastify, surroundings.files, bounds.bodyMs);
  serveDownloads(fastify, surroundings.files);
  const page = surroundings.page ?? PageFiles.none;
  servePage(fastify, page);
  if (surroundings.signIn !== undefined)
    serveSignIn(fastify, {
      signIn: surroundings.signIn,
      tokens: surroundings.tokens,
      life: surroundings.sessions ?? usualSessions,
      ...{ cookie, publicUrl, wrong: wrongTokens },
      show: (reply, failure) => sendPage(reply, page.documentWith(failure)),
    });

  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.over(surroundings, options.failoverMs ?? 0, { cookie, wrongTokens }),
    adapter,
    {
      logger: nestLogger(options.log),
      bodyParser: false,
      abortOnError: false,
    },
  );
  app.useGlobalFilters(problems);
  const enrolments = app.get(Enrolments);
  serveAgents(fastify, enrolments, app.get(AgentPackages));
  const relay =
    options.brokers === undefined
      ? undefined
      : new BrokerRelay(enrolments, options.brokers, hostCheck(names), options.log);
  relay?.serve(fastify.server);
  // Loaded at the first request for the document: it costs nothing at start-up.
  app.get(OpenApiDocument).describe(async () => (await import('./openapi/index.js')).openApiDocument(app));
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const server: unknown = app.getHttpServer();
  const { port } = (server as SecureServer).address() as AddressInfo;
  const endRenewal =
    options.https === undefined
      ? undefined
      : renewFrom(options.https, server as SecureServer, options.log, (renewed) => {
          certificate = new X509Certificate(renewed);
        });
  return {
    url: urlOf(options, port),
    close: () => {
      endRenewal?.();
      relay?.close();
      return app.close();
    },
  };
}

function urlOf({ host, https }: Pick<ServerOptions, 'host' | 'https'>, port: number): string {
  return `${https === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
