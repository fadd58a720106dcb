import { applyDecorators } from '@nestjs/common';
import type * as swagger from '@nestjs/swagger';

/**
 * Decorators of `@nestjs/swagger` that take effect when the OpenAPI document is built. The library is a third of the
 * modules of a gateway, and most gateways never build the document.
 */

type Decorator = ClassDecorator & MethodDecorator;

const waiting: ((from: typeof swagger) => void)[] = [];

/** Decorates a controller or a handler for the document. @param make gives the decorator of the library */
export function documented(make: (from: typeof swagger) => ClassDecorator | MethodDecorator): Decorator {
  return (...decorated: [object, PropertyKey?, object?]): void => {
    waiting.push((from) => {
      applyDecorators(make(from))(...(decorated as Parameters<ReturnType<typeof applyDecorators>>));
    });
  };
}

/** Groups the operations of a controller. */
export const Group = (name: string): ClassDecorator => documented(({ ApiTags }) => ApiTags(name));

/** Lets the decorators take effect in the order in which they were written. */
export function documentRoutes(from: typeof swagger): void {
  for (const decorate of waiting.splice(0)) decorate(from);
}
