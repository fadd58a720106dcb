import { spectrum, type Spectrum } from './spectrum.js';

/**
 * What Kubelka and Munk's theory needs to know of a pigment paste: how strongly a layer of it absorbs (K) and scatters (S)
 * light, per wavelength, relative to the scattering of the white paste at 550 nm.
 */
export interface Pigment {
  absorption: Spectrum;
  scattering: Spectrum;
}

export const pigmentNames = ['cyan', 'magenta', 'yellow', 'black', 'white'] as const;
export type PigmentName = (typeof pigmentNames)[number];

/** A bell around a wavelength, both in nanometres. */
const band = (wavelength: number, center: number, width: number): number =>
  Math.exp(-0.5 * ((wavelength - center) / width) ** 2);

/** From 1 at short wavelengths to 0 at long ones, falling around an edge. */
const below = (wavelength: number, edge: number, width: number): number =>
  1 / (1 + Math.exp((wavelength - edge) / width));

/** Small particles scatter short waves more. */
const scattering = (strength: number, exponent: number): Spectrum =>
  spectrum((wavelength) => strength * (550 / wavelength) ** exponent);

/**
 * These curves are synthetic: not measured, but given the shapes that such pigments are known for, a phthalocyanine
 * (two bands in the orange and red), a quinacridone (a double band in the green), an arylide yellow (an edge at the
 * blue end), carbon black (dark everywhere) and rutile titanium dioxide (an edge in the near ultraviolet).
 */
export const pigments: Record<PigmentName, Pigment> = {
  cyan: {
    absorption: spectrum(
      (nm) => 0.02 + 2.4 * band(nm, 622, 34) + 2.0 * band(nm, 690, 36) + 0.35 * band(nm, 380, 22),
    ),
    scattering: scattering(0.12, 1.6),
  },
  magenta: {
    absorption: spectrum(
      (nm) => 0.02 + 1.7 * band(nm, 530, 26) + 1.5 * band(nm, 566, 18) + 0.35 * band(nm, 390, 40),
    ),
    scattering: scattering(0.14, 1.2),
  },
  yellow: {
    absorption: spectrum((nm) => 0.012 + 2.3 * below(nm, 484, 11)),
    scattering: scattering(0.22, 0.8),
  },
  black: {
    absorption: spectrum((nm) => 4.5 * (550 / nm) ** 0.3),
    scattering: scattering(0.06, 0.5),
  },
  white: {
    absorption: spectrum((nm) => 0.0005 + 0.9 * below(nm, 402, 7)),
    scattering: scattering(1, 0.4),
  },
};
