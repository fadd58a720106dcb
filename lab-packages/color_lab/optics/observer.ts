import type { Spectrum } from './spectrum.js';

/**
 * CIE 1931 standard colorimetric observer (2°) and CIE standard illuminant D65, 380 to 730 nm in steps of 10 nm.
 * ISO/CIE 11664-1:2019 and ISO/CIE 11664-2:2022.
 */

const xBar: Spectrum = [
  0.001368, 0.004243, 0.01431, 0.04351, 0.13438, 0.2839, 0.34828, 0.3362, 0.2908, 0.19536, 0.09564, 0.03201,
  0.0049, 0.0093, 0.06327, 0.1655, 0.2904, 0.43345, 0.5945, 0.7621, 0.9163, 1.0263, 1.0622, 1.0026, 0.85445,
  0.6424, 0.4479, 0.2835, 0.1649, 0.0874, 0.04677, 0.0227, 0.011359, 0.00579, 0.002899, 0.00144,
];

const yBar: Spectrum = [
  0.000039, 0.00012, 0.000396, 0.00121, 0.004, 0.0116, 0.023, 0.038, 0.06, 0.09098, 0.13902, 0.20802, 0.323,
  0.503, 0.71, 0.862, 0.954, 0.99495, 0.995, 0.952, 0.87, 0.757, 0.631, 0.503, 0.381, 0.265, 0.175, 0.107,
  0.061, 0.032, 0.017, 0.00821, 0.004102, 0.002091, 0.001047, 0.00052,
];

const zBar: Spectrum = [
  0.00645, 0.02005, 0.06785, 0.2074, 0.6456, 1.3856, 1.74706, 1.77211, 1.6692, 1.28764, 0.81295, 0.46518,
  0.272, 0.1582, 0.07825, 0.04216, 0.0203, 0.00875, 0.0039, 0.0021, 0.00165, 0.0011, 0.0008, 0.00034, 0.00019,
  0.00005, 0.00002, 0, 0, 0, 0, 0, 0, 0, 0, 0,
];

const d65: Spectrum = [
  49.9755, 54.6482, 82.7549, 91.486, 93.4318, 86.6823, 104.865, 117.008, 117.812, 114.861, 115.923, 108.811,
  109.354, 107.802, 104.79, 107.689, 104.405, 104.046, 100, 96.3342, 95.788, 88.6856, 90.0062, 89.5991,
  87.6987, 83.2886, 83.6992, 80.0268, 80.2146, 82.2778, 78.2842, 69.7213, 71.6091, 74.349, 61.604, 69.8856,
];

/** Tristimulus values X, Y, Z; Y is 100 for a perfect reflector. */
export type Xyz = readonly [number, number, number];

/** The color of a surface under D65, from its reflectance (0 to 1). */
export function xyzOf(reflectance: Spectrum): Xyz {
  const integral = (observer: Spectrum): number =>
    observer.reduce((sum, value, index) => sum + value * (d65[index] ?? 0) * (reflectance[index] ?? 0), 0);
  const scale = 100 / yBar.reduce((sum, value, index) => sum + value * (d65[index] ?? 0), 0);
  return [scale * integral(xBar), scale * integral(yBar), scale * integral(zBar)];
}
