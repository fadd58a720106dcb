import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ProblemError, type ApiClient, type Problem } from '@lab/api-client';
import type { JsonObject } from '@lab/contracts';
import { formatDiagnostics } from '@lab/definitions/documents';
import { RefusedError, UsageError } from '../exit-codes.js';
import { userError } from '../user-error.js';

/**
 * Adds the rows of a CSV file to the submission of a campaign as the parameters of its runs. If the submission gives no
 * number of runs, the campaign gets one run per row.
 *
 * @throws UsageError when the file cannot be read, or the submission takes no rows
 * @throws RefusedError with the faulty lines of the file
 */
export async function withRows(client: ApiClient, submission: JsonObject, file: string): Promise<JsonObject> {
  const { protocol, protocol_run_parameters: given } = submission;
  if (typeof protocol !== 'string' || given !== undefined)
    throw new UsageError(
      '--parameters is for a campaign: a submission that names its protocol and has no protocol_run_parameters',
    );
  const rows = await rowsOf(client, protocol, file);
  return { max_protocol_runs: rows.length, ...submission, protocol_run_parameters: rows };
}

/** The problem, with the rows of the file that it names. */
export function aboutRows(problem: Problem, file: string): Problem {
  const errors = problem.errors?.map((fault) => {
    const [, index] = /^protocol_run_parameters\[(\d+)\]/.exec(fault.path) ?? [];
    if (index === undefined) return fault;
    return { ...fault, message: `row ${Number(index) + 1} of ${basename(file)}: ${fault.message}` };
  });
  return errors === undefined ? problem : { ...problem, errors };
}

async function rowsOf(client: ApiClient, protocol: string, file: string): Promise<JsonObject[]> {
  try {
    const read = await client.post('/api/protocols/{protocol}/parameters', {
      path: { protocol },
      csv: textOf(file),
    });
    return read.protocol_run_parameters as JsonObject[];
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.errors === undefined) throw error;
    const diagnostics = error.problem.errors.map(({ path, code, message, hint, line }) => ({
      file: basename(file),
      path,
      code,
      message,
      line: line ?? null,
      column: null,
      hint: hint ?? null,
    }));
    throw new RefusedError(formatDiagnostics(diagnostics, { userDir: dirname(resolve(file)) }).trimEnd(), {
      cause: error,
    });
  }
}

/** @throws UsageError */
function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`the parameters cannot be read: ${userError(error)}`, { cause: error });
  }
  if (!isUtf8(bytes)) throw new UsageError(`${basename(file)} is not UTF-8 text: save it as "CSV UTF-8"`);
  return bytes.toString('utf8');
}
