import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { apiVersion, apiVersionHeader, isRequestId, requestIdHeader, ServiceError } from '@lab/contracts';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '@lab/ports';
import { takeCsvBodies } from './csv-body.js';
import type { CrossOrigin } from './cross-origin.js';
import type { HostNames } from './host-names.js';
import { parseJsonBody } from './json-body.js';
import type { Limits } from './limits.js';
import { accessCheck } from './origin-rules.js';
import { takePackedBodies } from './packed-body.js';
import type { ProblemFilter } from './problem-filter.js';
import { problemMediaType } from './problem.js';
import type { Traffic } from './traffic.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the body of the route may take as long as it keeps arriving. The route itself ends long pauses. */
    unhurriedBody?: boolean;
  }
}

/** A log that says whether the lines of each request are written. */
export interface RequestLog extends Log {
  /** True when lines of the level are written. */
  enabled(level: 'debug'): boolean;
}

/** Names, access rules and limits of the server. */
export interface Doors {
  names: HostNames;
  crossOrigin: CrossOrigin;
  traffic: Traffic;
  limits: Limits;
  problems: ProblemFilter;
}

/** Headers of every answer. Answers with a page or its parts replace the policy and the caching. */
const commonHeaders = {
  [apiVersionHeader]: apiVersion,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A browser that has seen the service behind HTTPS uses only HTTPS for two years. */
const onlyHttps = { 'strict-transport-security': 'max-age=63072000' };

/** Longest delay between the timeout of slow headers and the end of the connection, in milliseconds. */
const slowestCheckMs = 2_000;

const requestIdField = requestIdHeader.toLowerCase();

/** The request id that the client gave, or a new one when the given text is not valid. */
function requestIdOf(given: unknown): string {
  return isRequestId(given) ? given : randomUUID();
}

/**
 * The HTTP server under Nest, with its limits, before any route.
 *
 * @param secret certificate and key in PEM; undefined: the server does not encrypt
 * @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed: `request.ip` is then the last address in
 *   it that is not one of them
 */
export function fastifyAdapter(
  limits: Limits,
  problems: ProblemFilter,
  trustedProxies: readonly string[],
  secret?: { cert: Buffer; key: Buffer },
): FastifyAdapter {
  const parsing = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, slowestCheckMs),
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    insecureHTTPParser: false,
  };
  const options: Omit<FastifyHttpOptions<Server>, 'http'> = {
    bodyLimit: limits.bodyBytes,
    keepAliveTimeout: limits.keepAliveMs,
    // Uploads may take long, so each route bounds the time of its body.
    requestTimeout: 0,
    genReqId: ({ headers }) => requestIdOf(headers[requestIdField]),
    return503OnClosing: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: limits.headerBytes, ignoreTrailingSlash: true },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...commonHeaders, [requestIdHeader]: request.id });
      problems.answer(error, request as FastifyRequest, reply as FastifyReply);
    },
  };
  const parser = secret === undefined ? { http: parsing } : { https: { ...parsing, ...secret } };
  // The types of Fastify tell the two kinds of server apart, although routes see no difference.
  const adapter = new FastifyAdapter({
    ...options,
    ...(parser as object),
    skipMiddie: true,
    multipart: false,
  });
  const server: Server = adapter.getInstance().server;
  server.maxConnections = limits.connections;
  return adapter;
}

/** Prepares every request before it reaches a controller: headers, limits, access, and the JSON body. */
export function prepareRequests(fastify: FastifyInstance, doors: Doors): void {
  const { crossOrigin, limits, problems, traffic } = doors;
  const check = accessCheck(doors.names, crossOrigin);
  const isHttps = new URL(doors.names.publicUrl).protocol === 'https:';
  const headers = { ...commonHeaders, ...crossOrigin.headers, ...(isHttps ? onlyHttps : {}) };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...headers, [requestIdHeader]: request.id });
    try {
      const leave = traffic.enter({
        method: request.method,
        address: request.ip,
        authorization: request.headers.authorization,
        route: request.routeOptions.url,
      });
      reply.raw.once('close', leave);
      check(request.raw as { method: string; headers: typeof request.headers });
      refuseLongAddress(request.url, limits.addressBytes);
      if (crossOrigin.answer(request, reply)) return;
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    // Fastify closes the connection while the client still sends, which can destroy the answer before the client reads it
    // (RFC 9112, 9.6). The server reads and drops the rest instead, for as long as `letGoOfBody` allows.
    if (reply.statusCode === 413) reply.removeHeader('connection');
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    letGoOfBody(request, limits.bodyMs);
    done();
  });

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    let value: unknown;
    try {
      value = parseJsonBody(body);
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, value);
  });
  takeCsvBodies(fastify);
  takePackedBodies(fastify);

  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.config.unhurriedBody === true || request.raw.complete) {
      done(null, payload);
      return;
    }
    const timer = setTimeout(() => {
      // The parser would wait for ever, so the answer bypasses it. The connection ends with the answer.
      reply.header('connection', 'close');
      problems.answer(new ServiceError('bad_request', 'The body did not arrive in time.'), request, reply);
    }, limits.bodyMs);
    payload.once('close', () => clearTimeout(timer));
    payload.once('end', () => clearTimeout(timer));
    done(null, payload);
  });
}

/** @throws ServiceError `uri_too_long` */
function refuseLongAddress(url: string, most: number): void {
  const query = url.indexOf('?');
  const path = query === -1 ? url.length : query;
  if (path <= most && url.length - path <= most + 1) return;
  throw new ServiceError(
    'uri_too_long',
    `The ${path > most ? 'path' : 'query'} has more than the ${most} bytes that it may have.`,
  );
}

/** Ends the connection of a client that keeps sending a body after the request was answered. */
function letGoOfBody({ raw }: FastifyRequest, bodyMs: number): void {
  // Taken now: a request has no socket any more once Node has detached its connection, which may have happened already.
  const socket = raw.socket as Socket | null;
  if (raw.complete || socket === null) return;
  const timer = setTimeout(() => socket.destroy(), bodyMs);
  const clear = (): void => clearTimeout(timer);
  raw.once('end', clear);
  raw.once('close', clear);
}

/**
 * Logs every request at debug level. It logs the route and not the address, which may contain names of people or the token
 * of an upload. At other levels it costs nothing.
 */
export function logRequests(fastify: FastifyInstance, log: RequestLog): void {
  if (!log.enabled('debug')) return;
  fastify.addHook('onResponse', (request, reply, done) => {
    log.debug('request', {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
    });
    done();
  });
}

const rawHeaders = Object.entries(commonHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Error of the HTTP parser. It has the packet as a buffer, unless the request timed out. */
type ParseError = Error & { code?: string; rawPacket?: unknown };

/** Answers bytes that are not an HTTP request. There is no request object for them. */
function answerBrokenRequest(this: FastifyInstance, error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, detail] = brokenRequest(error.code);
  const problem = JSON.stringify({
    type: 'urn:svc:error:bad_request',
    title: 'The request is malformed',
    status,
    detail,
    code: 'bad_request',
  });
  // An answer to HEAD ends with its headers. A body would break the parser of the client (RFC 9110, 9.3.2).
  const packet = error.rawPacket;
  const isHead = Buffer.isBuffer(packet) && packet.subarray(0, 5).toString('latin1') === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: ${problemMediaType}\r\nContent-Length: ${Buffer.byteLength(problem)}\r\n` +
      `${rawHeaders}Connection: close\r\n\r\n${isHead ? '' : problem}`,
  );
}

function brokenRequest(code: string | undefined): [number, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, 'Request Header Fields Too Large', 'The address and headers are larger than 16 KB.'];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'The request did not arrive in time.'];
  return [400, 'Bad Request', 'This is not an HTTP/1.1 request.'];
}
