/** A value for each of {@link wavelengths}. */
export type Spectrum = readonly number[];

/** 380 to 730 nm in steps of 10 nm: 36 wavelengths, all that the eye sees but for a thousandth. */
export const wavelengths: Spectrum = Array.from({ length: 36 }, (_, index) => 380 + 10 * index);

/** The spectrum of a function of the wavelength in nanometres. */
export function spectrum(value: (wavelength: number) => number): Spectrum {
  return wavelengths.map(value);
}

/** The same value at every wavelength. */
export function flat(value: number): Spectrum {
  return wavelengths.map(() => value);
}

/** Combines spectra wavelength by wavelength. */
export function combine(spectra: readonly Spectrum[], join: (...values: number[]) => number): Spectrum {
  return wavelengths.map((_, index) => join(...spectra.map((values) => values[index] ?? 0)));
}

/**
 * Sum of spectra, each times its weight.
 *
 * @throws RangeError when the weights do not sum to more than 0
 */
export function weightedMean(parts: readonly { weight: number; values: Spectrum }[]): Spectrum {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0)) throw new RangeError(`The weights sum to ${total}: at least one must be more than 0`);
  return wavelengths.map((_, index) =>
    parts.reduce((sum, { weight, values }) => sum + (weight / total) * (values[index] ?? 0), 0),
  );
}
