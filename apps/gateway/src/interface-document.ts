import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SessionCookie, WrongTokens } from './access/index.js';
import { AppModule, type Surroundings } from './app.module.js';
import { openApiDocument } from './openapi/index.js';

/**
 * The document of the interface, without a service: only the routes are read, and nothing behind them is made.
 *
 * @throws Error when a route has no description, or a description has no route
 */
export async function interfaceDocument(): Promise<OpenAPIObject> {
  const nothing = new Proxy({}, { get: () => ({}) }) as Surroundings;
  const app = await NestFactory.create(
    AppModule.over(nothing, 0, {
      cookie: new SessionCookie('http://127.0.0.1'),
      wrongTokens: new WrongTokens(1, () => 0),
    }),
    new FastifyAdapter(),
    {
      preview: true,
      logger: false,
      abortOnError: false,
    },
  );
  return openApiDocument(app);
}
