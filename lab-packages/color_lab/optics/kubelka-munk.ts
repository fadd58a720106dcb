import { combine, type Spectrum } from './spectrum.js';

/**
 * Light in a thick layer of paint, after P. Kubelka and F. Munk, "Ein Beitrag zur Optik der Farbanstriche", Zeitschrift
 * für technische Physik 12 (1931) 593-601, with the correction for the surface by J. L. Saunderson, "Calculation of the
 * color of pigmented plastics", Journal of the Optical Society of America 32 (1942) 727-736.
 */

/** Share of the light that the surface reflects from outside; a spectrometer that excludes gloss does not see it. */
const surfaceFromOutside = 0.04;

/** Share of diffuse light that the surface throws back inside, for a refractive index near 1.5. */
const surfaceFromInside = 0.6;

/** A part of a mixture: its share and its coefficients. */
export interface Component {
  /** Any unit; only the ratios count. */
  amount: number;
  absorption: Spectrum;
  scattering: Spectrum;
}

/**
 * Reflectance of an opaque layer, gloss excluded, 0 to 1. Absorption and scattering of a mixture are those of its parts,
 * added in proportion to their amounts (Duncan's two-constant theory).
 *
 * @throws RangeError when there is nothing in the mixture
 */
export function reflectance(components: readonly Component[]): Spectrum {
  const parts = components.filter(({ amount }) => amount > 0);
  if (parts.length === 0)
    throw new RangeError('A mixture of nothing has no color: give at least one amount above 0');
  const total = parts.reduce((all, { amount }) => all + amount, 0);
  const absorption = sum(parts.map(({ amount, absorption: values }) => scaled(values, amount / total)));
  const scattering = sum(parts.map(({ amount, scattering: values }) => scaled(values, amount / total)));
  return combine([absorption, scattering], (k, s) => throughSurface(infiniteLayer(k / s)));
}

/** Reflectance of an infinitely thick layer inside the paint, from its ratio of absorption to scattering. */
export function infiniteLayer(ratio: number): number {
  // The textbook form 1 + r - sqrt(r² + 2r) loses its digits for dark paints; this is the same, multiplied out.
  return 1 / (1 + ratio + Math.sqrt(ratio * ratio + 2 * ratio));
}

function throughSurface(inside: number): number {
  return ((1 - surfaceFromOutside) * (1 - surfaceFromInside) * inside) / (1 - surfaceFromInside * inside);
}

function scaled(values: Spectrum, factor: number): Spectrum {
  return values.map((value) => value * factor);
}

function sum(spectra: readonly Spectrum[]): Spectrum {
  return combine(spectra, (...values) => values.reduce((total, value) => total + value, 0));
}
