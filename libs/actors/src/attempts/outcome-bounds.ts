import type { AttemptOutcome } from '@lab/contracts';
import type { AgentLimits, SpooledFile } from '../ports/index.js';
import type { Ending } from './task-attempt.js';

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/**
 * Limits the ending of an attempt to what a report can carry. Outputs that are too large fail the attempt and are kept as one
 * more file of it. A long error text is cut.
 *
 * @param keep writes one more file of the attempt
 */
export async function withinBounds(
  ending: Ending,
  { outputBytes, resultBytes }: Pick<AgentLimits, 'outputBytes' | 'resultBytes'>,
  keep: (name: string, text: string) => Promise<SpooledFile>,
): Promise<Ending> {
  const { outcome, files } = ending;
  if (outcome.kind === 'failed') return { ...ending, outcome: shortened(outcome, resultBytes) };
  if (outcome.kind !== 'completed') return ending;
  const { output_parameters, output_resources } = outcome;
  const text = JSON.stringify({ output_parameters, output_resources });
  const size = byteLength(text);
  if (size > outputBytes) {
    const name = unusedName(files);
    const kept = await keep(name, text).then(
      (file) => ({ files: [...files, file], where: `they are kept as its file ${name}` }),
      (error: unknown) => ({ files, where: `they could not be kept as a file: ${String(error)}` }),
    );
    const message = `the outputs of the task are ${kib(size)} as JSON; at most ${kib(outputBytes)} are allowed: return large data as files; ${kept.where}`;
    return { ...ending, outcome: invalidOutput(message, kept.files), files: kept.files };
  }
  if (byteLength(JSON.stringify(outcome)) <= resultBytes) return ending;
  const message = `the result of the task is larger than ${kib(resultBytes)} as JSON: it has ${files.length} files; return fewer, with shorter names`;
  return { ...ending, outcome: invalidOutput(message, []), files: [] };
}

function invalidOutput(message: string, files: readonly SpooledFile[]): AttemptOutcome {
  const described = files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
  return { kind: 'failed', code: 'invalid_output', error: { message }, files: described };
}

/** Chooses a name for the file with the outputs. The task may have a file with the first name itself. */
function unusedName(files: readonly SpooledFile[]): string {
  const names = new Set(files.map(({ name }) => name));
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? 'oversized_output.json' : `oversized_output_${n}.json`;
    if (!names.has(name)) return name;
  }
}

function shortened(outcome: Failed, mostBytes: number): AttemptOutcome {
  if (byteLength(JSON.stringify(outcome)) <= mostBytes) return outcome;
  const { message } = outcome.error;
  return { ...outcome, error: { message: `${message.slice(0, 8_192)} … (${message.length} characters)` } };
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
