import { percentile, rounded } from '../../shared/measure.js';
import { processorSeconds, processTree, proportionalMb } from '../../shared/processes.js';
import { tasksPerRun, type Peer } from './peer.js';

/** What is measured of a system. All times are those of the system alone: the tasks only calculate. */
export interface Figures {
  ready_s: number;
  /** Overhead of a task, one run at a time. */
  task_ms: number;
  /** Overhead of a run, one at a time. */
  run_ms: number;
  /** Processor time of a task, of all processes, one run at a time. */
  task_processor_ms: number;
  /** With several runs at a time. */
  tasks_per_s: number;
  /** Of all processes after the campaigns, proportional set size. */
  memory_mb: number;
  processes: number;
}

export interface Amount {
  /** Runs of the measured campaigns. */
  runs: number;
  /** Runs before, which are not measured. */
  warm: number;
  /** Runs at the same time in the second campaign. */
  atOnce: number;
}

/** Starts a system, lets it work, and stops it. @param round part of the names of the campaigns */
export async function measure(peer: Peer, round: number, { runs, warm, atOnce }: Amount): Promise<Figures> {
  const running = await peer.start();
  try {
    await running.campaign(`warm_${round}`, warm, 1);
    const before = processorSeconds(running.pids);
    const single = await running.campaign(`single_${round}`, runs, 1);
    const processor = processorSeconds(running.pids) - before;
    const several = await running.campaign(`several_${round}`, runs, atOnce);
    const all = running.pids.flatMap((pid) => processTree(pid));
    const tasks = runs * tasksPerRun;
    return {
      ready_s: running.readyS,
      task_ms: (single * 1_000) / tasks,
      run_ms: (single * 1_000) / runs,
      task_processor_ms: (processor * 1_000) / tasks,
      tasks_per_s: tasks / several,
      memory_mb: all.reduce((sum, { pid }) => sum + proportionalMb(pid), 0),
      processes: all.length,
    };
  } finally {
    await running.stop();
  }
}

/** The median of each figure. */
export function medians(rounds: readonly Figures[]): Figures {
  const median = (name: keyof Figures): number =>
    rounded(
      percentile(
        rounds.map((round) => round[name]),
        0.5,
      ),
    );
  return {
    ready_s: median('ready_s'),
    task_ms: median('task_ms'),
    run_ms: median('run_ms'),
    task_processor_ms: median('task_processor_ms'),
    tasks_per_s: median('tasks_per_s'),
    memory_mb: median('memory_mb'),
    processes: median('processes'),
  };
}

/** What a figure is, for the table. */
const titles: Record<keyof Figures, string> = {
  ready_s: 'start until it accepts work, s',
  task_ms: 'overhead of a task, ms',
  run_ms: 'overhead of a run, ms',
  task_processor_ms: 'processor time of a task, ms',
  tasks_per_s: 'tasks per second, several runs at once',
  memory_mb: 'memory of all processes, MB',
  processes: 'processes',
};

/** Lines of a table: a column for each system, and how many times the first one's figure it has. */
export function tableOf(all: readonly { title: string; figures: Figures }[]): string[] {
  const [first, ...others] = all;
  if (first === undefined) return [];
  const rows = (Object.keys(titles) as (keyof Figures)[]).map((name) => [
    titles[name],
    String(first.figures[name]),
    ...others.flatMap(({ figures }) => [
      String(figures[name]),
      `x ${rounded(figures[name] / first.figures[name])}`,
    ]),
  ]);
  const head = ['', first.title, ...others.flatMap(({ title }) => [title, 'ratio'])];
  const widths = head.map((text, column) =>
    Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
