import type { JsonObject, TaskParameters, Trial } from '@lab/contracts';
import { inTools, labPackages } from '../../shared/paths.js';

/** The row of a trial. */
type Inputs = Trial['inputs'];

/** A laboratory in which the parameters of a run decide how long it takes. Times are seconds of the laboratory. */
export interface BenchLab {
  name: string;
  /** Folder of its package. */
  userDir: string;
  protocol: string;
  globals: TaskParameters;
  /** Duration of a simulated campaign. */
  until: number;
  secondsOf(task: string, inputs: Inputs): number | undefined;
  outputsOf(task: string, inputs: Inputs): JsonObject | undefined;
  /** Distance of the result of a run from the best possible one, 0 or more. */
  regretOf(outputs: Readonly<Record<string, number>>): number;
}

const number = (inputs: Inputs, name: string): number => Number(inputs[name]);

/** The result of `read_plate` of the package, in which growth takes 1.5 hours. */
function growthAt(feed: number, hours: number, celsius: number, slowness: number): number {
  const warmth = Math.exp(-(((celsius - 37) / 6) ** 2));
  const food = Math.exp(-(((feed - 6) / (feed > 6 ? 2 : 4)) ** 2));
  return warmth * food * (1 - Math.exp(-((hours / slowness) ** 2)));
}

/**
 * Two incubators, one reader, one handler. An hour takes 0.1 s.
 *
 * @param slowness hours that growth takes
 */
const incubatorLab = (name: string, slowness: number): BenchLab => ({
  name,
  userDir: inTools('bench/proposals/packages'),
  protocol: 'culture',
  globals: {},
  until: 16,
  secondsOf: (task, inputs) => (task === 'incubate' ? 0.1 * number(inputs, 'incubate.hours') : undefined),
  outputsOf(task, inputs) {
    if (task !== 'read') return undefined;
    const [feed, hours, celsius] = ['prepare.feed', 'incubate.hours', 'incubate.celsius'].map((name) =>
      number(inputs, name),
    );
    return { growth: growthAt(feed!, hours!, celsius!, slowness) };
  },
  regretOf: (outputs) => growthAt(6, 24, 37, slowness) - (outputs['read.growth'] ?? -Infinity),
});

const pastes = ['cyan', 'magenta', 'yellow', 'black', 'white'] as const;
/** Absorption of red, green and blue by each paste. */
const absorptions = [
  [2.4, 0.5, 0.1],
  [0.2, 2.2, 0.6],
  [0.05, 0.25, 2.3],
  [3, 3, 3],
  [0.02, 0.02, 0.02],
] as const;
const target = [47, 105, 155] as const;
/** Of the stations, and of the color lab. */
const millilitresPerSecond = 2;
const timeScale = 0.02;

const volumesOf = (inputs: Inputs): number[] =>
  pastes.map((paste) => number(inputs, `mix_colors.${paste}_volume`));

/** Red, green and blue of a mixture, 0 to 255. What is stirred too little looks like the single pastes. */
function colorOf(volumes: readonly number[], seconds: number, rpm: number): number[] {
  const sum = Math.max(
    1e-9,
    volumes.reduce((total, volume) => total + volume, 0),
  );
  const mixed = 1 - Math.exp((-seconds * rpm) / 6000);
  return [0, 1, 2].map((band) => {
    const whole = volumes.reduce((total, volume, i) => total + (volume / sum) * absorptions[i]![band]!, 0);
    const apart = volumes.reduce(
      (total, volume, i) => total + (volume / sum) * Math.exp(-absorptions[i]![band]!),
      0,
    );
    return 255 * (mixed * Math.exp(-whole) + (1 - mixed) * apart);
  });
}

/**
 * `color_mixing` of the color lab. Durations are those of its devices at its time scale; the color comes from a smaller
 * model of paint than that of the devices.
 */
const colorLab: BenchLab = {
  name: 'color_lab',
  userDir: labPackages,
  protocol: 'color_mixing',
  globals: { score_color: { target_red: target[0], target_green: target[1], target_blue: target[2] } },
  until: 30,
  secondsOf(task, inputs) {
    if (task !== 'mix_colors') return undefined;
    const dosed = volumesOf(inputs).reduce((sum, volume) => sum + volume, 0);
    return (dosed / millilitresPerSecond + number(inputs, 'mix_colors.mixing_time')) * timeScale;
  },
  outputsOf(task, inputs) {
    if (task !== 'score_color') return undefined;
    const [seconds, rpm] = [
      number(inputs, 'mix_colors.mixing_time'),
      number(inputs, 'mix_colors.mixing_speed'),
    ];
    const color = colorOf(volumesOf(inputs), seconds, rpm);
    return { loss: Math.hypot(...color.map((value, band) => value - target[band]!)) };
  },
  regretOf: (outputs) => outputs['score_color.loss'] ?? Infinity,
};

export const benchLabs: readonly BenchLab[] = [
  incubatorLab('incubator_lab', 1.5),
  // Most of the longest incubation is needed: there is little to gain.
  incubatorLab('slow_growth', 10),
  colorLab,
];
