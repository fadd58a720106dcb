import type { Run } from '../optimizer/runs.js';
import type { Situation, ToldRun } from './prompt.js';
import type { RunDetails } from './records.js';

/** Sources and reasons of the points of runs, for the prompt. */
export class RunLog {
  private readonly details = new Map<string, RunDetails>();

  tell(details: readonly RunDetails[]): void {
    for (const each of details) this.details.set(each.run, structuredClone(each));
  }

  state(): RunDetails[] {
    return structuredClone([...this.details.values()]);
  }

  restore(details: readonly RunDetails[]): void {
    this.details.clear();
    this.tell(details);
  }

  situation(runs: readonly Run[]): Pick<Situation, 'ended' | 'underWay' | 'journal' | 'earlierInsights'> {
    return {
      ended: this.told(runs.filter(({ status }) => status !== 'pending')),
      underWay: this.told(runs.filter(({ status }) => status === 'pending')),
      journal: this.journal(),
      earlierInsights: [...new Set([...this.details.values()].flatMap(({ note }) => note.insights ?? []))],
    };
  }

  private told(runs: readonly Run[]): ToldRun[] {
    return runs.map(({ name, point, measured }) => {
      const details = name === null ? undefined : this.details.get(name);
      return { name, point, measured, source: details?.source, additional: details?.additional ?? {} };
    });
  }

  /** The journal of the AI, oldest first, with the runs of each entry. */
  private journal(): Situation['journal'] {
    const entries: { runs: string[]; text: string }[] = [];
    for (const { run, note } of this.details.values()) {
      const { journal = '' } = note;
      const last = entries.at(-1);
      if (last?.text === journal) last.runs.push(run);
      else if (journal !== '') entries.push({ runs: [run], text: journal });
    }
    return entries;
  }
}
