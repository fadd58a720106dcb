// The software of a vendor. It answers at once, and writes its results later in the way that the sample id names: into the folder of
// the environment. A name such as `slow-1` says the way before the dash.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [, program, sample = '', begun] = process.argv;
const folder = process.env.VENDOR_FOLDER ?? '';
const table = `well,od\nA1,0.25\nA2,0.75\nsample,${sample.length}\n`;
const place = (name) => join(folder, name);

const ways = {
  // Writes the final name slowly, with pauses that are longer than the time for which a file must be stable.
  async slow() {
    const file = openSync(place(`${sample}.csv`), 'w');
    for (const line of ['well,od\n', 'A1,0.25\n', 'A2,0.75\n']) {
      writeSync(file, line);
      await wait(1_600);
    }
    closeSync(file);
  },
  async rename() {
    writeFileSync(place(`~${sample}.tmp`), 'well,od\nA1,1\n');
    await wait(1_500);
    renameSync(place(`~${sample}.tmp`), place(`${sample}.csv`));
  },
  async over() {
    writeFileSync(place('result.csv'), `well,od\nA1,${sample.at(-1)}\n`);
  },
  async late() {
    await wait(3_000);
    writeFileSync(place(`${sample}.csv`), table);
  },
  async garbage() {
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.csv')]),
      table,
    );
    writeFileSync(place('a\nb:*?.csv'), table);
    appendFileSync(place('.hidden.csv'), table);
    appendFileSync(place('no-table.txt'), table);
  },
  async parts() {
    for (const part of [1, 2]) writeFileSync(place(`${sample}_${part}.csv`), `well,od\nA1,${part}\n`);
  },
};

if (begun === undefined) {
  // The instrument goes on by itself.
  spawn(process.execPath, [program, sample, 'begun'], { detached: true, stdio: 'ignore' }).unref();
} else {
  await ways[sample.split('-')[0]]?.();
}
