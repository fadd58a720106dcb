import { BaseTask, type Resource, type TaskResult } from '@lab/sdk';

type Paper = Resource<{ lines: number }>;

export default class ScoreProduct extends BaseTask<
  Record<never, never>,
  { product: number; wanted: number },
  { paper: Paper }
> {
  _execute(
    _devices: this['devices'],
    { product, wanted }: { product: number; wanted: number },
    { paper }: { paper: Paper },
  ): TaskResult {
    const written: Paper = { ...paper, meta: { ...paper.meta, lines: paper.meta.lines - 1 } };
    return [{ loss: Math.abs(product - wanted) }, { paper: written }, {}];
  }
}
