import type { Server } from '@nats-io/nats-core';

/**
 * Chooses the server for each attempt to connect: never the same twice in a row, and of the others the one that was tried
 * longest ago. The client of NATS would begin with the server whose connection was lost. If that is frozen, it accepts the
 * connection and never answers, and the attempt lasts until its time limit.
 *
 * @returns the choice for one connection; it wants all servers that the client knows, the one that the client prefers first
 */
export function serverInTurn(): (known: readonly Server[]) => Server | null {
  let previous: string | undefined;
  return (known) => {
    const others = known.length > 1 ? known.filter(({ listen }) => listen !== previous) : known;
    const [first, ...rest] = others;
    if (first === undefined) return null;
    const next = rest.reduce((best, each) => (each.lastConnect < best.lastConnect ? each : best), first);
    previous = next.listen;
    return next;
  };
}
