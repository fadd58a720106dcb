import {
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  linearInequality,
  minimize,
  type HybridArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

/** A parameter of `mix_colors` and its least and greatest value. */
export type Range = readonly [parameter: string, bounds: readonly [number, number]];

const pastes = ['cyan', 'magenta', 'yellow', 'black', 'white'].map((paste) => `mix_colors.${paste}_volume`);
const millilitres = [0, 10] as const;

/**
 * An optimizer that looks for the paint whose color is nearest to the target, which comes with the campaign. It chooses
 * the volumes of the five pastes, and how long (seconds) and how fast (rotations per minute) they are stirred.
 *
 * @param more what else it chooses
 */
export function paintSearch(
  more: readonly Range[] = [],
): ReturnType<CreateCampaignOptimizer<HybridArguments>> {
  const ranges: Range[] = [
    ...pastes.map((paste): Range => [paste, millilitres]),
    ...more.map(([parameter, bounds]): Range => [`mix_colors.${parameter}`, bounds]),
    ['mix_colors.mixing_time', [5, 60]],
    ['mix_colors.mixing_speed', [100, 1200]],
  ];
  return [
    {
      inputs: ranges.map(([parameter, [least, greatest]]) => continuousInput(parameter, [least, greatest])),
      outputs: [continuousOutput('score_color.loss', minimize())],
      constraints: [
        // Less than 5 ml cannot be measured, more than 40 ml splashes.
        linearInequality(
          pastes,
          pastes.map(() => -1),
          -5,
        ),
        linearInequality(
          pastes,
          pastes.map(() => 1),
          40,
        ),
      ],
      num_initial_samples: 5,
      p_bayesian: 1,
      p_ai: 0,
      ai_model: 'ollama:qwen3.5:9b',
      ai_history_size: 30,
      ai_additional_context:
        'Pigment pastes mix subtractively. Too little stirring leaves streaks; above 700 rpm the stirrer draws in air, which makes the paint lighter.',
    },
    HybridOptimizer,
  ];
}
