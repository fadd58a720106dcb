import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  ProblemError,
  type ApiClient,
  type CampaignRecord,
  type DryRunOf,
  type OperationOf,
  type Problem,
  type ProtocolRunRecord,
  type TaskRunRecord,
} from '@lab/api-client';
import type { JsonObject, Schema } from '@lab/contracts';
import { formatDiagnostics, readDocument } from '@lab/definitions/documents';
import { Option, type Command } from 'commander';
import { workKinds, type WorkKind } from '../../watch/work.js';
import { atService, json, seconds, serviceCommand, startingMs, type ServiceFlags } from '../at-service.js';
import { RefusedError, UsageError } from '../exit-codes.js';
import { aboutRows, withRows } from './parameter-rows.js';
import { userError } from '../user-error.js';
import { watched } from './work.js';

interface SubmitFlags extends ServiceFlags {
  kind?: WorkKind;
  name?: string;
  parameters?: string;
  watch?: boolean;
  dryRun?: boolean;
}

/** `svc submit`. */
export function addSubmitCommand(program: Command): void {
  serviceCommand(program, 'submit', 'submit a protocol run, a campaign or a task')
    .argument('<file>', 'submission, JSON or YAML with the fields of the REST interface; - is standard input')
    .addOption(
      new Option('--kind <kind>', 'what it is; needed where its fields do not say').choices(workKinds),
    )
    .option('--name <name>', 'name; overrides the file')
    .option('--parameters <file>', 'for a campaign: CSV file with one row of parameters for each run')
    .option('--dry-run', 'only check the submission and predict its begin and end; nothing is stored')
    .option('--watch', 'follow the work to its end; the exit code is 1 when it does not complete')
    .action((file: string, flags: SubmitFlags) =>
      atService(flags, async (client) => {
        if (flags.dryRun === true && flags.watch === true)
          throw new UsageError('what is only tried out cannot be watched: leave out --watch or --dry-run');
        const submission = await submissionOf(client, file, flags);
        if (flags.dryRun === true) {
          const tried = await triedOut(client, submission);
          return flags.json === true ? json(tried) : dryRunText(tried);
        }
        const record = await submitted(client, submission);
        if (flags.watch !== true)
          return flags.json === true ? json(record) : [`${record.name}: ${record.state}`];
        return watched(client, { kind: submission.kind, name: record.name }, flags);
      }),
    );
}

interface Submission {
  kind: WorkKind;
  value: JsonObject;
  /** What the service says is wrong with it, with the lines of the file. */
  explained(problem: Problem): string;
}

/** The content of the file; for a campaign also the rows of the second file. */
async function submissionOf(client: ApiClient, file: string, flags: SubmitFlags): Promise<Submission> {
  const submission = await readSubmission(file, flags);
  const { parameters } = flags;
  if (parameters === undefined) return submission;
  return {
    ...submission,
    value: await withRows(client, submission.value, parameters),
    explained: (problem) => submission.explained(aboutRows(problem, parameters)),
  };
}

type Accepted = ProtocolRunRecord | CampaignRecord | TaskRunRecord;
type Tried = DryRunOf<OperationOf<'post', '/api/protocols' | '/api/campaigns' | '/api/tasks'>>;

const paths = { protocol: '/api/protocols', campaign: '/api/campaigns', task: '/api/tasks' } as const;

/**
 * Submits the work, or makes a dry run. The service checks the content of the file, because only the service knows the
 * definitions. It refuses unknown fields.
 */
function submitted(client: ApiClient, submission: Submission): Promise<Accepted> {
  const { kind, value: body } = submission;
  const input = { body, ...(kind === 'campaign' ? { timeoutMs: startingMs } : {}) };
  return explaining(submission, () => client.post(paths[kind], input as never) as Promise<Accepted>);
}

function triedOut(client: ApiClient, submission: Submission): Promise<Tried> {
  const input = { body: submission.value, timeoutMs: startingMs };
  return explaining(
    submission,
    () => client.tryOut(paths[submission.kind], input as never) as Promise<Tried>,
  );
}

function dryRunText({ resolved, estimate, warnings }: Tried): string[] {
  const { starts_at: start, ends_at: end, seconds_per_run: span, runs, reason } = estimate;
  return [
    `${resolved.name}: valid; nothing was stored`,
    ...(start === null ? [] : [`starts ${seconds(start)}`]),
    ...(end === null ? [] : [`ends   ${seconds(end)}`]),
    ...(runs > 1 && span !== null ? [`${span} s for each run`] : []),
    ...(reason === null ? [] : [`not all is known: ${reason}`]),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
}

/** Shows the faults that the service found, with the lines of the file. */
async function explaining<Value>({ explained }: Submission, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.errors === undefined) throw error;
    const faults = error.problem.errors.filter((fault) => fault.file === undefined);
    // Faults of definition files are shown as in every other command.
    if (faults.length === 0) throw error;
    throw new RefusedError(explained(error.problem), { cause: error });
  }
}

/** @throws UsageError with the name and the fault of the file */
async function readSubmission(file: string, { kind, name }: SubmitFlags): Promise<Submission> {
  const label = file === '-' ? 'standard input' : basename(file);
  const read = readDocument(label, await contentOf(file), anyObject);
  const told = (diagnostics: Parameters<typeof formatDiagnostics>[0]): string =>
    formatDiagnostics(diagnostics, { userDir: dirname(resolve(file)) }).trimEnd();
  if (!read.ok) throw new UsageError(told(read.diagnostics));
  return {
    kind: kind ?? kindOf(label, read.value),
    value: name === undefined ? read.value : { ...read.value, name },
    explained: ({ title, detail, errors = [] }) => `${title}: ${detail}\n\n${told(read.diagnose(errors))}`,
  };
}

const anyObject: Schema<JsonObject> = {
  check: (input) =>
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? { ok: true, value: input as JsonObject }
      : {
          ok: false,
          faults: [{ path: '', code: 'type', message: 'must be an object with the fields of a submission' }],
        },
};

/** Fields that only one kind of submission has. */
const telling: [WorkKind, string[]][] = [
  ['campaign', ['protocol', 'max_protocol_runs']],
  ['task', ['input_parameters', 'input_resources', 'devices', 'allocation_timeout', 'retry']],
  ['protocol', ['parameters', 'failure_policy']],
];

/** @throws UsageError */
function kindOf(label: string, value: JsonObject): WorkKind {
  const [found] = telling.find(([, fields]) => fields.some((field) => field in value)) ?? [];
  if (found === undefined)
    throw new UsageError(`${label} does not say whether it is a protocol run or a task; say it with --kind`);
  return found;
}

/** @throws UsageError when the file cannot be read */
async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the submission cannot be read: ${userError(error)}`, { cause: error });
  }
}
