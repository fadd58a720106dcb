import {
  allLabs,
  type LabRights,
  unnamedPerson,
  type CampaignSubmission,
  type ProtocolRunSubmission,
  type Submission,
  type Submitted,
  type TaskSubmission,
} from '@lab/contracts';
import { checkParameters } from '@lab/definitions/model';
import {
  type Accepted,
  type SubmitPorts,
  completeProtocolRun,
  completeTask,
  submitTask,
} from '../submission/index.js';
import { type Person, type Turn, type TurnLoop, auditRequest } from '../turn/index.js';
import type { TaskRunRow } from '../rows/index.js';
import type { CampaignRequests } from './campaign-requests.js';
import { resumedRun, submitOrResumeProtocolRun } from './resume.js';

/** A submission with what the gateway knows of it. */
export type Received<Submission> = Omit<Submitted<Submission>, 'rights'>;

/**
 * Submissions of work, and their dry runs: both pass the same checks. Each promise resolves after the commit. `rights` are
 * those of the caller. Only work that this process submits itself, such as that of a simulation, has no caller.
 */
export class Submissions {
  constructor(
    private readonly ports: {
      loop: TurnLoop;
      submit: SubmitPorts;
      campaigns: CampaignRequests;
      person: (by: string) => Person;
    },
  ) {}

  /** @throws ServiceError `unknown_protocol`, `forbidden`, `invalid`, `duplicate_name`, `backlog_full`, `quota_exceeded`, and those of a resume */
  protocolRun(submission: Received<ProtocolRunSubmission>, rights = allLabs): Promise<Accepted> {
    return this.#protocolRun('submission of a protocol run', submission, rights, (turn, submit) => {
      const accepted = submit(turn);
      auditRequest(turn, submission.audit);
      return accepted;
    });
  }

  /** @throws as {@link protocolRun}; with `optimize` also `optimizer_unavailable`: no worker can make its optimizer */
  campaign(submission: Received<CampaignSubmission>, rights = allLabs): Promise<Accepted> {
    return this.ports.campaigns.submit(submission, rights);
  }

  /**
   * @param committed gets the task as it was committed, and the hash of its code; not called for a task that is over
   * @throws ServiceError `unknown_task_type`, `forbidden`, `invalid` (every fault listed), `duplicate_name`, `backlog_full`,
   *   `quota_exceeded`
   */
  task(
    submission: Received<TaskSubmission>,
    rights = allLabs,
    committed: (task: TaskRunRow, codeHash: string | null) => void = () => undefined,
  ): Promise<Accepted> {
    return this.ports.loop.submit('submission of a task', (turn) => {
      const accepted = submitTask(turn, this.ports.submit, submission, rights);
      auditRequest(turn, submission.audit);
      turn.afterCommit(() => {
        const task = turn.state.rows.taskRuns.get(accepted.id);
        if (task !== undefined) committed(task, turn.state.taskTypeOf(task)?.task.module.hash ?? null);
      });
      return accepted;
    });
  }

  /**
   * Checks whether a submission would be accepted now. Changes nothing. Throws as the submission itself.
   *
   * @returns the submission with its defaults; null: it resumes existing work
   */
  async tryOut(asked: Submission, rights = allLabs): Promise<Submission | null> {
    switch (asked.kind) {
      case 'protocol_run': {
        const { submission } = asked;
        return this.#protocolRun('dry run of a protocol run', submission, rights, (turn, submit) => {
          turn.rehearse(submit);
          if (resumedRun(turn, submission) !== undefined) return null;
          return { kind: asked.kind, submission: completeProtocolRun(submission) };
        });
      }
      case 'campaign': {
        const submission = await this.ports.campaigns.tryOut(asked.submission, rights);
        return submission === null ? null : { kind: asked.kind, submission };
      }
      case 'task': {
        const { submit: ports, loop } = this.ports;
        return loop.submit('dry run of a task', (turn) => {
          turn.rehearse((rehearsal) => submitTask(rehearsal, ports, asked.submission, rights));
          const complete = completeTask(asked.submission);
          const specs = ports.definitions.task(complete.type)?.task.input_parameters ?? {};
          const { values } = checkParameters(specs, complete.input_parameters);
          return { kind: asked.kind, submission: { ...complete, input_parameters: values } };
        });
      }
    }
  }

  #protocolRun<Value>(
    what: string,
    submission: ProtocolRunSubmission,
    rights: LabRights,
    how: (turn: Turn, submit: (turn: Turn) => Accepted) => Value,
  ): Promise<Value> {
    const { loop, submit: ports, person } = this.ports;
    const { name, owner = unnamedPerson, resume } = submission;
    return loop.submit(
      what,
      (turn) =>
        how(turn, (given) => submitOrResumeProtocolRun(given, ports, person(owner), submission, rights)),
      [{ kind: 'protocolRun', names: [name] }],
      resume === true ? { kind: 'protocolRun', name } : undefined,
    );
  }
}
