import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ciede2000, labOf, srgbOf, xyzOfSrgb, type Lab, type Rgb } from './color-space.js';
import { fadedPigments } from './fading.js';
import { infiniteLayer, reflectance } from './kubelka-munk.js';
import { add, noPaint, reflectanceOf, stir, volumeOf, type Volumes } from './mixing.js';
import { normalNoise } from './noise.js';
import { xyzOf } from './observer.js';
import { pigmentNames, pigments } from './pigments.js';
import { flat, wavelengths } from './spectrum.js';

const none: Volumes = { cyan: 0, magenta: 0, yellow: 0, black: 0, white: 0 };

function mixed(volumes: Partial<Volumes>, seconds = 60, speed = 500) {
  return stir(add(noPaint, { ...none, ...volumes }), seconds, speed);
}
function lightness(volumes: Partial<Volumes>): number {
  return labOf(xyzOf(reflectanceOf(mixed(volumes))))[0];
}
function rgb(volumes: Partial<Volumes>): Rgb {
  return srgbOf(xyzOf(reflectanceOf(mixed(volumes))));
}

describe('the observer', () => {
  it('sees a perfect reflector under D65 as the published white point', () => {
    const [x, y, z] = xyzOf(flat(1));
    expect(Math.abs(x - 95.047)).toBeLessThan(0.1);
    expect(y).toBeCloseTo(100, 10);
    expect(Math.abs(z - 108.883)).toBeLessThan(0.1);
  });

  it('sees half the light as half the tristimulus values', () => {
    const full = xyzOf(flat(1));
    xyzOf(flat(0.5)).forEach((value, index) => expect(value).toBeCloseTo((full[index] ?? 0) / 2, 10));
  });
});

describe('color spaces', () => {
  it('give white and black their known values', () => {
    srgbOf([95.047, 100, 108.883]).forEach((value) => expect(value).toBeCloseTo(255, 1));
    expect(srgbOf([0, 0, 0])).toEqual([0, 0, 0]);
    expect(labOf([95.047, 100, 108.883])).toEqual([100, 0, 0]);
  });

  it('find the way back from sRGB', () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), (color) => {
        srgbOf(xyzOfSrgb(color)).forEach((value, index) => expect(value).toBeCloseTo(color[index] ?? 0, 2));
      }),
    );
  });

  it('give pure sRGB red its known place in CIELAB', () => {
    const [l, a, b] = labOf(xyzOfSrgb([255, 0, 0]));
    expect([l, a, b].map((value) => Math.round(value * 10) / 10)).toEqual([53.2, 80.1, 67.2]);
  });

  it.each<[Lab, Lab, number]>([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 3.1571, -77.2803], [50, 0, -82.7485], 2.8615],
    [[50, -1.3802, -84.2814], [50, 0, -82.7485], 1.0],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
    [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ])('differ by CIEDE2000 as in the table of Sharma, Wu and Dalal: %j %j', (one, other, difference) => {
    expect(ciede2000(one, other)).toBeCloseTo(difference, 4);
    expect(ciede2000(other, one)).toBeCloseTo(difference, 4);
  });
});

describe('paint after Kubelka and Munk', () => {
  it('obeys their relation between reflectance and the ratio of absorption to scattering', () => {
    for (const ratio of [0, 0.001, 0.1, 1, 10, 1000]) {
      const inside = infiniteLayer(ratio);
      expect((1 - inside) ** 2 / (2 * inside)).toBeCloseTo(ratio, 8);
    }
  });

  it('never reflects less than nothing or more than it receives', () => {
    const volume = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(volume, volume, volume, volume, volume),
        fc.double({ min: 0, max: 120, noNaN: true }),
        fc.double({ min: 0, max: 1500, noNaN: true }),
        ([cyan, magenta, yellow, black, white], seconds, speed) => {
          fc.pre(cyan + magenta + yellow + black + white > 0.001);
          const paint = mixed({ cyan, magenta, yellow, black, white }, seconds, speed);
          expect(paint.homogeneity).toBeGreaterThanOrEqual(0);
          expect(paint.homogeneity).toBeLessThanOrEqual(1);
          expect(paint.foam).toBeGreaterThanOrEqual(0);
          expect(paint.foam).toBeLessThanOrEqual(1);
          for (const value of reflectanceOf(paint)) {
            expect(value).toBeGreaterThan(0);
            expect(value).toBeLessThan(1);
          }
        },
      ),
    );
  });

  it('depends on the proportions, not on the amount', () => {
    const one = reflectanceOf(mixed({ cyan: 1, white: 3 }));
    reflectanceOf(mixed({ cyan: 2, white: 6 })).forEach((value, index) =>
      expect(value).toBeCloseTo(one[index] ?? 0, 12),
    );
  });

  it('is light when white alone, dark when everything is in it', () => {
    expect(lightness({ white: 10 })).toBeGreaterThan(93);
    expect(lightness({ cyan: 5, magenta: 5, yellow: 5, black: 5 })).toBeLessThan(20);
    expect(lightness({ black: 5 })).toBeLessThan(lightness({ cyan: 5, magenta: 5, yellow: 5 }) + 5);
  });

  it('gets darker with every drop of black and lighter with every drop of white', () => {
    const blacks = [0, 0.5, 1, 2, 4].map((black) => lightness({ yellow: 4, white: 4, black }));
    expect(blacks).toEqual([...blacks].sort((a, b) => b - a));
    const whites = [0, 0.5, 1, 2, 4].map((white) => lightness({ cyan: 4, magenta: 2, white }));
    expect(whites).toEqual([...whites].sort((a, b) => a - b));
  });

  it('makes green of cyan and yellow, red of magenta and yellow, blue of cyan and magenta', () => {
    const [greenR, greenG, greenB] = rgb({ cyan: 2, yellow: 4, white: 2 });
    expect(greenG).toBeGreaterThan(Math.max(greenR, greenB) + 20);
    const [redR, redG, redB] = rgb({ magenta: 3, yellow: 4, white: 2 });
    expect(redR).toBeGreaterThan(Math.max(redG, redB) + 60);
    const [blueR, blueG, blueB] = rgb({ cyan: 3, magenta: 2, white: 3 });
    expect(blueB).toBeGreaterThan(Math.max(blueR, blueG) + 20);
  });

  it('has pigment data at every wavelength', () => {
    for (const name of pigmentNames) {
      expect(pigments[name].absorption).toHaveLength(wavelengths.length);
      expect(pigments[name].scattering.every((value) => value > 0)).toBe(true);
    }
  });

  it('has no color when there is none', () => {
    expect(() => reflectance([])).toThrow('A mixture of nothing has no color');
    expect(() => reflectanceOf(noPaint)).toThrow('A mixture of nothing has no color');
  });
});

describe('stirring', () => {
  const paint = add(noPaint, { ...none, cyan: 2, white: 8 });

  it('evens the paint out with every turn', () => {
    const evenness = [0, 5, 15, 30, 60].map((seconds) => stir(paint, seconds, 300).homogeneity);
    expect(evenness).toEqual([...evenness].sort((a, b) => a - b));
    expect(stir(paint, 30, 120).homogeneity).toBeCloseTo(0.95, 10);
    expect(stir(paint, 30, 400).homogeneity).toBeCloseTo(stir(paint, 60, 200).homogeneity, 10);
  });

  it('in two goes is as good as in one', () => {
    expect(stir(stir(paint, 10, 900), 20, 900)).toEqual({
      ...stir(paint, 30, 900),
      foam: expect.closeTo(stir(paint, 30, 900).foam, 10) as number,
      homogeneity: expect.closeTo(stir(paint, 30, 900).homogeneity, 10) as number,
    });
  });

  it('draws in air only above the speed of the vortex, and foam makes a dark paint lighter', () => {
    expect(stir(paint, 120, 700).foam).toBe(0);
    expect(stir(paint, 30, 1200).foam).toBeGreaterThan(0.3);
    const dark = add(noPaint, { ...none, black: 2, cyan: 4 });
    const calm = labOf(xyzOf(reflectanceOf(stir(dark, 60, 600))))[0];
    expect(labOf(xyzOf(reflectanceOf(stir(dark, 60, 1400))))[0]).toBeGreaterThan(calm + 5);
  });

  it('leaves streaks when it is too short, which look lighter than the mixture', () => {
    const [short] = labOf(xyzOf(reflectanceOf(stir(paint, 1, 100))));
    const [long] = labOf(xyzOf(reflectanceOf(stir(paint, 60, 400))));
    expect(short).toBeGreaterThan(long + 3);
  });

  it('starts anew for what is added', () => {
    const even = stir(paint, 60, 600);
    const more = add(even, { ...none, black: 10 });
    expect(more.homogeneity).toBeCloseTo(even.homogeneity / 2, 10);
    expect(volumeOf(more.volumes)).toBe(20);
  });
});

describe('fading', () => {
  const doses = [0, 0.1, 0.5, 1, 2, 5];
  const changes = (volumes: Partial<Volumes>): number[] => {
    const paint = mixed(volumes);
    const colorAfter = (dose: number): Lab => labOf(xyzOf(reflectanceOf(paint, fadedPigments(dose))));
    return doses.map((dose) => ciede2000(colorAfter(0), colorAfter(dose)));
  };

  it('is nothing without light, and grows with it', () => {
    const { yellow } = fadedPigments(0);
    expect(yellow).toEqual(pigments.yellow);
    const [none0 = NaN, ...more] = changes({ yellow: 2, white: 5 });
    expect(none0).toBe(0);
    expect(more).toEqual([...more].sort((a, b) => a - b));
    expect(more[0]).toBeGreaterThan(0.5);
  });

  it('takes yellow before magenta, and magenta before cyan', () => {
    const [yellow = 0, magenta = 0, cyan = 0] = (['yellow', 'magenta', 'cyan'] as const).map(
      (name) => changes({ [name]: 2, white: 5 })[3] ?? NaN,
    );
    expect(yellow).toBeGreaterThan(2 * magenta);
    expect(magenta).toBeGreaterThan(2 * cyan);
    expect(cyan).toBeGreaterThan(0);
  });

  it('leaves black and white as they are', () => {
    expect(changes({ black: 2, white: 5 })).toEqual(doses.map(() => 0));
  });

  it('depends on the light in all, not on how it comes', () => {
    const absorption = (dose: number): number => fadedPigments(dose).magenta.absorption[15] ?? NaN;
    const left = absorption(1) / absorption(0);
    expect(absorption(3) / absorption(0)).toBeCloseTo(left ** 3, 12);
    expect(() => fadedPigments(-1)).toThrow('a dose of -1');
  });
});

describe('the noise', () => {
  it('is the same for the same seed, and another for another', () => {
    const take = (seed: number): number[] => {
      const noise = normalNoise(seed);
      return Array.from({ length: 5 }, noise);
    };
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
  });

  it('has mean 0 and deviation 1', () => {
    const noise = normalNoise(1);
    const values = Array.from({ length: 20_000 }, noise);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  });
});
