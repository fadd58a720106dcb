import { reflectance, type Component } from './kubelka-munk.js';
import { pigmentNames, pigments, type Pigment, type PigmentName } from './pigments.js';
import { spectrum, weightedMean, type Spectrum } from './spectrum.js';

/** Millilitres of each paste. */
export type Volumes = Record<PigmentName, number>;

/** What is in a beaker: the pastes, how evenly they are mixed (0 to 1), and how much air was stirred in (0 to 1). */
export interface Paint {
  volumes: Volumes;
  homogeneity: number;
  foam: number;
}

export const noPaint: Paint = {
  volumes: { cyan: 0, magenta: 0, yellow: 0, black: 0, white: 0 },
  homogeneity: 0,
  foam: 0,
};

/**
 * Turns of the stirrer until the paint is 95 % even. For a given stirrer the number of turns is what counts, not the
 * time (A. W. Nienow, "On impeller circulation and mixing effectiveness in the turbulent flow regime", Chemical
 * Engineering Science 52 (1997) 2557-2565).
 */
const turnsTo95Percent = 60;

/** Above this speed the vortex reaches the stirrer and draws in air, in turns per minute. */
const vortexSpeed = 700;

/** Width of the onset of foaming, in turns per minute, and its time constant, in seconds. */
const foamOnset = 300;
const foamTime = 25;

/** Scattering by air bubbles in the densest foam, relative to the white paste. */
const foamScattering = 0.35;

/** Total volume in millilitres. */
export function volumeOf(volumes: Volumes): number {
  return pigmentNames.reduce((sum, name) => sum + volumes[name], 0);
}

/** Pastes added on top of what is there: they lie unmixed, so the whole is as even as the share that was mixed. */
export function add(paint: Paint, volumes: Volumes): Paint {
  const sum = Object.fromEntries(
    pigmentNames.map((name) => [name, paint.volumes[name] + volumes[name]]),
  ) as Volumes;
  const total = volumeOf(sum);
  const share = total === 0 ? 0 : volumeOf(paint.volumes) / total;
  return { volumes: sum, homogeneity: paint.homogeneity * share, foam: paint.foam * share };
}

/**
 * Stirs.
 *
 * @param seconds time
 * @param speed turns per minute
 */
export function stir(paint: Paint, seconds: number, speed: number): Paint {
  const turns = (seconds * speed) / 60;
  const unmixed = (1 - paint.homogeneity) * Math.exp((Math.log(0.05) * turns) / turnsTo95Percent);
  const densest = speed <= vortexSpeed ? 0 : 1 - Math.exp(-(((speed - vortexSpeed) / foamOnset) ** 2));
  const foam =
    densest <= paint.foam ? paint.foam : densest - (densest - paint.foam) * Math.exp(-seconds / foamTime);
  return { ...paint, homogeneity: 1 - unmixed, foam };
}

/**
 * What a spectrometer sees of a paint: the even part after Kubelka and Munk, foam scattering along, and streaks of the
 * single pastes where it is not mixed yet.
 *
 * @param palette the pigments in it, as they are by now
 * @throws RangeError when the beaker is empty
 */
export function reflectanceOf(paint: Paint, palette: Record<PigmentName, Pigment> = pigments): Spectrum {
  const components = pigmentNames
    .filter((name) => paint.volumes[name] > 0)
    .map((name): Component => ({ amount: paint.volumes[name], ...palette[name] }));
  const air: Component = {
    amount: foamScattering * paint.foam * volumeOf(paint.volumes),
    absorption: spectrum(() => 0),
    scattering: spectrum(() => 1),
  };
  const even = reflectance([...components, ...(components.length === 0 ? [] : [air])]);
  const streaks = weightedMean(
    components.map((component) => ({ weight: component.amount, values: reflectance([component]) })),
  );
  return weightedMean([
    { weight: paint.homogeneity, values: even },
    { weight: 1 - paint.homogeneity, values: streaks },
  ]);
}
