import type { AnyEvent, AnyRequest } from '@lab/contracts';
import type { Bus, EventHandler, RequestHandler, ServeOptions, Subscription } from './bus.js';

type Definition = AnyRequest | AnyEvent;

/** One handler for every request and event of a catalogue. A missing handler is a compile error. */
export type HandlersOf<Catalogue extends Readonly<Record<string, Definition>>> = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends AnyRequest
    ? RequestHandler<Catalogue[Name]>
    : Catalogue[Name] extends AnyEvent
      ? EventHandler<Catalogue[Name]>
      : never;
};

/** A request or an event together with its handler. */
export type Handled =
  | { definition: AnyRequest; handle: RequestHandler<AnyRequest> }
  | { definition: AnyEvent; handle: EventHandler<AnyEvent> };

/** The definitions of a catalogue, each with its handler. */
export function handledBy<Catalogue extends Readonly<Record<string, Definition>>>(
  catalogue: Catalogue,
  handlers: HandlersOf<Catalogue>,
): Handled[] {
  return Object.entries(catalogue).map(
    ([name, definition]) => ({ definition, handle: handlers[name as keyof Catalogue] }) as Handled,
  );
}

/**
 * Serves requests, with these options, and listens to events, for every value of the tokens of their subjects. If the
 * bus throws, nothing is served.
 */
export async function serveAll(
  bus: Bus,
  handled: readonly Handled[],
  options: ServeOptions = {},
): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  try {
    for (const { definition, handle } of handled) {
      subscriptions.push(
        definition.kind === 'request'
          ? await bus.serve(definition, {}, handle as RequestHandler<AnyRequest>, options)
          : await bus.subscribe(definition, {}, handle as EventHandler<AnyEvent>),
      );
    }
  } catch (error) {
    await Promise.all(subscriptions.map((subscription) => subscription.unsubscribe()));
    throw error;
  }
  return subscriptions;
}
