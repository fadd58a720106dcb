import { pigmentNames, pigments, type Pigment, type PigmentName } from './pigments.js';

/**
 * Light, in megalux hours, after which a share of 1/e of what a pigment absorbs is left. Synthetic, like the spectra, in the
 * order in which such pigments are known to fade: an arylide yellow first, a quinacridone slowly, a phthalocyanine hardly;
 * carbon black and titanium dioxide are left out, for they do not.
 */
const lifetimes: Partial<Record<PigmentName, number>> = { yellow: 0.4, magenta: 4, cyan: 60 };

/**
 * The pigments after light has fallen on them. What absorbs is destroyed in proportion to the light and to what is left of
 * it (first order); particles that have lost their color scatter as before.
 *
 * @param dose megalux hours
 * @throws RangeError when it is negative
 */
export function fadedPigments(dose: number): Record<PigmentName, Pigment> {
  if (!(dose >= 0)) throw new RangeError(`No paint can get a dose of ${dose} Mlx·h`);
  const faded = pigmentNames.map((name): [PigmentName, Pigment] => {
    const left = Math.exp(-dose / (lifetimes[name] ?? Infinity));
    const { absorption, scattering } = pigments[name];
    return [name, { absorption: absorption.map((value) => value * left), scattering }];
  });
  return Object.fromEntries(faded) as Record<PigmentName, Pigment>;
}
