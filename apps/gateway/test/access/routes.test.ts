import 'reflect-metadata';
import type { Principal } from '@lab/contracts';
import { Get } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { expect, it } from 'vitest';
import { AppModule, type Surroundings } from '../../src/app.module.js';
import { AccessGuard } from '../../src/access/access-guard.js';
import { Needs, needKey } from '../../src/access/needs.js';
import { SessionCookie } from '../../src/access/session-cookie.js';
import type { RecordRoles } from '../../src/access/record-roles.js';
import { WrongTokens } from '../../src/access/wrong-tokens.js';

type ControllerClass = new (...args: never[]) => object;

/** `Class.method` of every controller route that does not declare who may use it. */
function withoutNeed(controllers: readonly ControllerClass[]): { routes: number; open: string[] } {
  const reflector = new Reflector();
  const routes = controllers.flatMap((controller) =>
    new MetadataScanner()
      .getAllMethodNames(controller.prototype as object)
      .map((name) => ({ controller, name, handler: handlerOf(controller, name) }))
      .filter(({ handler }) => Reflect.hasMetadata(PATH_METADATA, handler)),
  );
  return {
    routes: routes.length,
    open: routes
      .filter(
        ({ controller, handler }) =>
          reflector.getAllAndOverride(needKey, [handler, controller]) === undefined,
      )
      .map(({ controller, name }) => `${controller.name}.${name}`),
  };
}

function handlerOf(controller: ControllerClass, name: string): () => unknown {
  return (controller.prototype as Record<string, () => unknown>)[name] ?? (() => undefined);
}

it('every route declares who may use it', () => {
  const { controllers = [] } = AppModule.over({} as Surroundings, 0, {
    cookie: new SessionCookie('http://127.0.0.1'),
    wrongTokens: new WrongTokens(1, () => 0),
  });
  const { routes, open } = withoutNeed(controllers as ControllerClass[]);
  expect(open).toEqual([]);
  expect(routes).toBeGreaterThan(40);
});

class Careless {
  open(): string {
    return 'for everybody';
  }

  closed(): string {
    return 'for some';
  }
}
for (const name of ['open', 'closed'] as const)
  Get(name)(Careless.prototype, name, descriptorOf(Careless.prototype, name));
Needs('viewer')(Careless.prototype, 'closed', descriptorOf(Careless.prototype, 'closed'));

function descriptorOf(object: object, name: string): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(object, name) ?? {};
}

it('the check reports a route that does not', () => {
  expect(withoutNeed([Careless])).toEqual({ routes: 2, open: ['Careless.open'] });
});

it('a route that does not declare its role refuses everybody', () => {
  const guard = new AccessGuard(new Reflector(), {} as RecordRoles);
  const principal: Principal = { name: 'root', kind: 'local', grants: [{ role: 'admin' }] };
  const context = (name: 'open' | 'closed') => {
    const host = new ExecutionContextHost([{ principal }], Careless, Careless.prototype[name]);
    host.setType('http');
    return host;
  };
  expect(guard.canActivate(context('closed'))).toBe(true);
  expect(() => guard.canActivate(context('open'))).toThrow(expect.objectContaining({ code: 'forbidden' }));
});
