import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Has every piece played by one of `count` processes.
 *
 * @param pieces `{ name, seed }`, taken one after the other by whichever process is free
 * @param done hears of each piece with its `result`, and is awaited
 */
export async function playAll(pieces, count, done) {
  const waiting = [...pieces];
  const player = fileURLToPath(new URL('player.mjs', import.meta.url));
  const work = () =>
    new Promise((resolve, reject) => {
      const child = fork(player, { serialization: 'advanced' });
      const next = () => {
        const piece = waiting.shift();
        if (piece === undefined) child.disconnect();
        else child.send(piece);
      };
      child.on('message', (answer) => Promise.resolve(done(answer)).then(next, reject));
      child.on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a player ended with ${code}`))));
      next();
    });
  await Promise.all(Array.from({ length: Math.min(count, waiting.length) }, work));
}
