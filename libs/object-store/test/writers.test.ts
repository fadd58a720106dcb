import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Writers } from '../src/writers.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('an upload keeps no written chunk in memory', async () => {
  const yielded: WeakRef<Uint8Array>[] = [];
  async function* source(): AsyncIterable<Uint8Array> {
    for (let made = 0; made < 100; made++) {
      const chunk = new Uint8Array(1_000);
      yielded.push(new WeakRef(chunk));
      yield chunk;
    }
    // After a turn of the event loop, objects that lived until its end are released.
    await new Promise(setImmediate);
    collectGarbage();
    expect(yielded.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(10);
  }
  await new Writers().alone('upload', source(), async (chunks) => {
    for await (const chunk of chunks) expect(chunk.length).toBe(1_000);
  });
  expect(yielded).toHaveLength(100);
});
