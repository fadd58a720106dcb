import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * The instruments of the color lab of EOS, simulated: each listens on the port that its lab file gives, takes a JSON command
 * with a function and its parameters on each line, and answers with JSON. The authors' simulation needs a browser.
 */

type Command = { function: string; params: Record<string, number> };

/** Mixers and analyzers come in pairs, which share a beaker. */
const pairs = [
  { mixer: 5004, analyzer: 5003 },
  { mixer: 5006, analyzer: 5005 },
  { mixer: 5008, analyzer: 5007 },
];
const others = [5001, 5002];

export interface ColorDrivers {
  /** The functions that were called, in order. */
  readonly called: string[];
  close(): Promise<void>;
}

/** @throws Error when another program has one of the ports */
export async function startColorDrivers(): Promise<ColorDrivers> {
  const called: string[] = [];
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const listen = async (port: number, answer: (command: Command) => unknown): Promise<void> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      let rest = '';
      socket.on('error', () => socket.destroy());
      socket.on('data', (data) => {
        const lines = (rest + data.toString()).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const command = JSON.parse(line) as Command;
          called.push(command.function);
          socket.write(`${JSON.stringify(answer(command))}\n`);
        }
      });
    });
    servers.push(server);
    // The client of the package connects to localhost.
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  for (const port of others) await listen(port, () => true);
  for (const { mixer, analyzer } of pairs) {
    let color = [255, 255, 255];
    await listen(mixer, ({ params }) => {
      color = mixed(params);
      return true;
    });
    await listen(analyzer, () => color);
  }
  return {
    called,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Each ink takes its part of the light that passes it. */
function mixed(params: Record<string, number>): number[] {
  const ink = (name: string): number =>
    Math.min(1, ((params[`${name}_volume`] ?? 0) / 25) * ((params[`${name}_strength`] ?? 0) / 100));
  const light = (name: string): number => Math.round(255 * (1 - ink(name)) * (1 - ink('black')));
  return ['cyan', 'magenta', 'yellow'].map(light);
}
