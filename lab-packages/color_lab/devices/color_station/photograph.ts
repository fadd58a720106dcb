import { crc32, deflateSync } from 'node:zlib';
import { srgbOf, type Rgb } from '../../optics/color-space.js';
import { reflectance } from '../../optics/kubelka-munk.js';
import type { Paint } from '../../optics/mixing.js';
import { normalNoise } from '../../optics/noise.js';
import { xyzOf } from '../../optics/observer.js';
import { pigmentNames, pigments } from '../../optics/pigments.js';

/** Width and height in pixels. */
const size = 64;
const radius = 28;
const bench: Rgb = [226, 228, 230];

/**
 * The camera's view of the beaker from above, as PNG: the paint in its color, with rings of the single pastes as far as it
 * is not mixed.
 *
 * @param color what the sensor measured
 */
export function photograph(paint: Paint, color: Rgb): Buffer {
  const streaks = pigmentNames
    .filter((name) => paint.volumes[name] > 0)
    .map((name) => srgbOf(xyzOf(reflectance([{ amount: 1, ...pigments[name] }]))));
  const grain = normalNoise(1);
  const rows: Buffer[] = [];
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(1 + 3 * size);
    for (let x = 0; x < size; x += 1) {
      const distance = Math.hypot(x - size / 2 + 0.5, y - size / 2 + 0.5);
      const pixel = distance > radius ? bench : paintAt(distance);
      row.set(
        pixel.map((value) => Math.round(Math.min(255, Math.max(0, value + grain())))),
        1 + 3 * x,
      );
    }
    rows.push(row);
  }
  return png(Buffer.concat(rows));

  function paintAt(distance: number): Rgb {
    const streak = streaks[Math.floor(distance / 3) % Math.max(1, streaks.length)] ?? color;
    const blend = (index: 0 | 1 | 2): number =>
      paint.homogeneity * color[index] + (1 - paint.homogeneity) * streak[index];
    return [blend(0), blend(1), blend(2)];
  }
}

/** A PNG of 8-bit RGB rows, each with its filter byte in front (ISO/IEC 15948). */
function png(rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
