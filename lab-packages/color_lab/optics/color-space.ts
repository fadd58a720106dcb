import type { Xyz } from './observer.js';

/** Red, green and blue of sRGB, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Lightness (0 to 100), a (green to red) and b (blue to yellow). */
export type Lab = readonly [lightness: number, a: number, b: number];

/** D65 white, 2° observer (ISO/CIE 11664-4:2019). */
const white: Xyz = [95.047, 100, 108.883];

/**
 * A color as sRGB (IEC 61966-2-1:1999). Colors outside what a screen can show are moved to its edge; values are not
 * rounded.
 */
export function srgbOf([x, y, z]: Xyz): Rgb {
  const linear = [
    3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
    -0.969266 * x + 1.8760108 * y + 0.041556 * z,
    0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
  ];
  const [red = 0, green = 0, blue = 0] = linear.map((value) => 255 * companded(clamp(value / 100, 0, 1)));
  return [red, green, blue];
}

/** The color that sRGB values stand for. */
export function xyzOfSrgb(rgb: Rgb): Xyz {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => 100 * linearized(clamp(value / 255, 0, 1)));
  return [
    0.4124564 * red + 0.3575761 * green + 0.1804375 * blue,
    0.2126729 * red + 0.7151522 * green + 0.072175 * blue,
    0.0193339 * red + 0.119192 * green + 0.9503041 * blue,
  ];
}

/** CIELAB (ISO/CIE 11664-4:2019), in which distances are about as large as they look. */
export function labOf(xyz: Xyz): Lab {
  const [fx = 0, fy = 0, fz = 0] = xyz.map((value, index) => {
    const t = value / (white[index] ?? 1);
    return t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29;
  });
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

/**
 * How different two colors look: the CIEDE2000 difference (ISO/CIE 11664-6:2022), after G. Sharma, W. Wu and E. N. Dalal,
 * "The CIEDE2000 color-difference formula", Color Research and Application 30 (2005) 21-30. About 1 is just visible.
 */
export function ciede2000([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const meanChroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanChroma ** 7 / (meanChroma ** 7 + 25 ** 7)));
  const [c1, h1] = polar((1 + g) * a1, b1);
  const [c2, h2] = polar((1 + g) * a2, b2);
  const bothColored = c1 * c2 !== 0;
  const turn = !bothColored ? 0 : h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1;
  const deltaL = l2 - l1;
  const deltaC = c2 - c1;
  const deltaH = 2 * Math.sqrt(c1 * c2) * sine(turn / 2);
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const h = meanHue(h1, h2, bothColored);
  const t =
    1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.2 * cosine(4 * h - 63);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rotation =
    -sine(60 * Math.exp(-(((h - 275) / 25) ** 2))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  return Math.sqrt(
    (deltaL / sl) ** 2 + (deltaC / sc) ** 2 + (deltaH / sh) ** 2 + rotation * (deltaC / sc) * (deltaH / sh),
  );
}

function polar(a: number, b: number): [chroma: number, hue: number] {
  const hue = a === 0 && b === 0 ? 0 : (Math.atan2(b, a) * 180) / Math.PI;
  return [Math.hypot(a, b), hue < 0 ? hue + 360 : hue];
}

function meanHue(h1: number, h2: number, bothColored: boolean): number {
  const sum = h1 + h2;
  if (!bothColored) return sum;
  if (Math.abs(h1 - h2) <= 180) return sum / 2;
  return sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
}

const sine = (degrees: number): number => Math.sin((degrees * Math.PI) / 180);
const cosine = (degrees: number): number => Math.cos((degrees * Math.PI) / 180);
const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
const companded = (value: number): number =>
  value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
const linearized = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
