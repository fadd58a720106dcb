import {
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  minimize,
  type HybridArguments,
  type Question,
} from '../src/index.js';
import { ScriptedModels, type Said } from './scripted-models.js';

/** A campaign that searches the minimum of a bowl. The AI always proposes. */
export const bowl: HybridArguments = {
  inputs: [continuousInput('mix.x', [0, 10]), continuousInput('mix.y', [-1, 1])],
  outputs: [continuousOutput('score.loss', minimize())],
  num_initial_samples: 4,
  seed: 7,
  p_ai: 1,
  ai_model: 'script:one:two',
};
export const bowlAt = (row: Record<string, unknown>) => ({
  'score.loss': (Number(row['mix.x']) - 3) ** 2 + Number(row['mix.y']) ** 2,
});
export const row = (x: number, y = 0.5) => ({ 'mix.x': x, 'mix.y': y });

/** Returns the requested number of new rows. */
export function newRows({ schema }: Question, number: number): Said {
  const { minItems } = (schema as { properties: { suggestions: { minItems: number } } }).properties
    .suggestions;
  return {
    journal: `entry ${number}`,
    suggestions: Array.from({ length: minItems }, (_, i) => row((number * 7 + i) / 100)),
  };
}

/** An optimizer and its models. */
export function connected(
  say: ConstructorParameters<typeof ScriptedModels>[0],
  args: Partial<HybridArguments> = {},
) {
  const models = new ScriptedModels(say);
  const optimizer = new HybridOptimizer({ ...bowl, ...args });
  optimizer.connect(models.host('mix and measure'));
  return { models, optimizer };
}
