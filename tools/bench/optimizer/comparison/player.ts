// A process that plays campaigns of the comparison. The processor time of ours is that of this process.
import { machine } from '../../../shared/measure.js';
import { serve } from '../../../shared/pool.js';
import { PeerProcess, type Installed } from '../../peers/optimizers/process.js';
import { comparedProblem } from './all.js';
import { playCampaign } from './campaign.js';
import { Cannot, ours, random, type Method } from './method.js';
import type { ComparedProblem } from './problem.js';
import type { Entry, Key } from './store.js';

/** A campaign that is to be played. */
export interface Piece {
  key: Key;
  scale: number;
  installed: Installed;
}
export type Result = { key: Key } & ({ entry: Entry } | { error: string });

/** Programs of peers, which play one campaign after the other. */
const programs = new Map<string, PeerProcess>();

async function methodOf(piece: Piece, compared: ComparedProblem): Promise<Method> {
  const { method, seed } = piece.key;
  if (method === 'ours') return ours(compared, seed);
  if (method === 'random') return random(compared, seed);
  const program = programs.get(method) ?? new PeerProcess(piece.installed);
  programs.set(method, program);
  return program.begin(method, compared, seed);
}

async function play(piece: Piece): Promise<Result> {
  const { key } = piece;
  try {
    const compared = comparedProblem(key.problem, piece.scale);
    const { quality, trace, ...spent } = await playCampaign(
      compared,
      await methodOf(piece, compared),
      key.seed,
    );
    // JSON has no infinite numbers.
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
    const played = { date: new Date().toISOString().slice(0, 10), machines: [machine()] };
    return {
      key,
      entry: { ...key, quality: finite(quality), trace: trace.map(finite), ...spent, ...played },
    };
  } catch (error) {
    if (error instanceof Cannot) return { key, entry: { ...key, cannot: error.message } };
    programs.get(key.method)?.stop();
    programs.delete(key.method);
    return { key, error: (error as Error).message };
  }
}

serve(play);
