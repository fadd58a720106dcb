import {
  unnamedPerson,
  type ProtocolRunSubmission,
  type Submission,
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
import type { Person, Turn, TurnLoop } from '../turn/index.js';
import type { CampaignRequests } from './campaign-requests.js';
import { resumedRun, submitOrResumeProtocolRun } from './resume.js';

/** What people submit, meant or to be tried out: the same command either way. */
export class Submissions {
  constructor(
    private readonly ports: {
      loop: TurnLoop;
      submit: SubmitPorts;
      campaigns: CampaignRequests;
      person: (by: string) => Person;
    },
  ) {}

  protocolRun(submission: ProtocolRunSubmission): Promise<Accepted> {
    return this.#protocolRun('submission of a protocol run', submission, (turn, submit) => submit(turn));
  }

  task(submission: TaskSubmission): Promise<Accepted> {
    return this.ports.loop.submit('submission of a task', (turn) =>
      submitTask(turn, this.ports.submit, submission),
    );
  }

  /**
   * Finds out whether something would be accepted if it was submitted in this turn. Changes nothing.
   *
   * @returns the submission with everything that it leaves out; null: it goes on with something that is there
   * @throws ServiceError what the submission would be refused with
   */
  async tryOut(asked: Submission): Promise<Submission | null> {
    switch (asked.kind) {
      case 'protocol_run': {
        const { submission } = asked;
        return this.#protocolRun('dry run of a protocol run', submission, (turn, submit) => {
          turn.rehearse(submit);
          if (resumedRun(turn, submission) !== undefined) return null;
          return { kind: asked.kind, submission: completeProtocolRun(submission) };
        });
      }
      case 'campaign': {
        const submission = await this.ports.campaigns.tryOut(asked.submission);
        return submission === null ? null : { kind: asked.kind, submission };
      }
      case 'task': {
        const { submit: ports, loop } = this.ports;
        return loop.submit('dry run of a task', (turn) => {
          turn.rehearse((rehearsal) => submitTask(rehearsal, ports, asked.submission));
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
    how: (turn: Turn, submit: (turn: Turn) => Accepted) => Value,
  ): Promise<Value> {
    const { loop, submit: ports, person } = this.ports;
    const { name, owner = unnamedPerson, resume } = submission;
    return loop.submit(
      what,
      (turn) => how(turn, (given) => submitOrResumeProtocolRun(given, ports, person(owner), submission)),
      [{ kind: 'protocolRun', names: [name] }],
      resume === true ? { kind: 'protocolRun', name } : undefined,
    );
  }
}
