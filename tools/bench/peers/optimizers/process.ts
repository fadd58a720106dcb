import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Measurement, Point } from '@lab/optimization';
import { inTools, root } from '../../../shared/paths.js';
import { bestOf, Cannot, chosenOf, spaceOf, type Method } from '../../optimizer/comparison/method.js';
import type { ComparedProblem } from '../../optimizer/comparison/problem.js';

/** The peers that the driver in Python knows. */
export const peerNames = ['botorch', 'ax', 'bofire', 'optuna', 'optuna_gp', 'skopt'] as const;

/** The folder with the environment of Python; empty: none is needed. */
export type Installed = string;

/** What the driver answers. Each answer has one of `error`, `cannot`, or what was asked for. */
interface Answer {
  error?: string;
  cannot?: string;
  rows?: Point[];
  /** Seconds of processor time. */
  cpu_s?: number;
  /** What the model expects at each reported point; null: there is no model. */
  expected?: Measurement[] | null;
}

/**
 * A program in Python that plays campaigns with the optimizers of others, one after the other. It gets one JSON object a line and
 * answers each with one. It ends with its input.
 */
export class PeerProcess {
  private readonly child: ChildProcess;
  private readonly answers: AsyncIterator<string>;
  private readonly complaints: string[] = [];

  constructor(installed: Installed) {
    const one = Object.fromEntries(
      ['OMP', 'MKL', 'OPENBLAS', 'NUMEXPR'].map((name) => [`${name}_NUM_THREADS`, '1']),
    );
    const program = join(installed, 'venv', 'bin', 'python');
    this.child = spawn(program, [inTools('bench/peers/optimizers/driver.py')], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: installed,
        PYTHONPATH: join(root, 'libs', 'python-host', 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONHASHSEED: '0',
        ...one,
      },
    });
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new Error(`${program} has no output`);
    this.answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
    createInterface({ input: stderr }).on('line', (line) => {
      this.complaints.push(line);
      this.complaints.splice(0, this.complaints.length - 20);
    });
    // A program that ended shows as an answer that never came.
    this.child.on('error', () => undefined);
    this.child.stdin?.on('error', () => undefined);
  }

  /** Begins a campaign. @throws Cannot when the peer cannot play the problem */
  async begin(method: string, compared: ComparedProblem, seed: number): Promise<Method> {
    const { problem, noise, initial } = compared;
    const points: Point[] = [];
    const results: Measurement[] = [];
    let spent = 0;
    await this.ask({
      ...{ ask: 'begin', method, seed, initial, noiseless: noise === undefined },
      ...{ space: spaceOf(compared), reference_point: problem.reference_point ?? null },
    });
    return {
      report: async (more, measured) => {
        points.push(...more);
        results.push(...measured);
        await this.ask({ ask: 'report', rows: more, results: measured });
      },
      propose: async (count) => {
        const { rows = [], cpu_s = 0 } = await this.ask({ ask: 'propose', count });
        spent += cpu_s;
        return rows;
      },
      recommended: async () => {
        const { expected } = await this.ask({ ask: 'expect' });
        return chosenOf(points, bestOf(compared, expected ?? results));
      },
      cpuSeconds: () => spent,
    };
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  private async ask(question: object): Promise<Answer> {
    this.child.stdin?.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.answers.next();
    if (done === true) throw new Error(`the program of the peer ended:\n${this.complaints.join('\n')}`);
    const answer = JSON.parse(value) as Answer;
    if (answer.cannot !== undefined) throw new Cannot(answer.cannot);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}
