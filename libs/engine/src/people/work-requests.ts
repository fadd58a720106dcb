import { allLabs, type JsonObject } from '@lab/contracts';
import type { NameKind } from '../rows/index.js';
import type { Accepted, SubmitPorts } from '../submission/index.js';
import type { Person, TurnLoop } from '../turn/index.js';
import type { CampaignRequests } from './campaign-requests.js';
import { cancelCampaign, cancelProtocolRun, cancelTask } from './cancel.js';
import { pauseWork } from './pause.js';
import { resumeProtocolRun } from './resume.js';

/** Cancels, pauses and resumes of accepted work. Each promise resolves after the commit. */
export class WorkRequests {
  constructor(
    private readonly ports: {
      loop: TurnLoop;
      submit: SubmitPorts;
      campaigns: CampaignRequests;
      person: (by: string) => Person;
    },
  ) {}

  /**
   * Cancels waiting tasks at once and asks running tasks to stop. The run is cancelled as soon as none of its tasks
   * runs. A run that needs attention ends at once.
   *
   * @throws ServiceError `not_found`, `wrong_state`
   */
  cancelProtocolRun(name: string): Promise<Accepted> {
    return this.ports.loop.submit('cancel of a protocol run', (turn) => cancelProtocolRun(turn, name), [
      asked('protocolRun', name),
    ]);
  }

  /** Starts no more runs and cancels the unfinished ones. @throws ServiceError `not_found`, `wrong_state` */
  cancelCampaign(name: string): Promise<Accepted> {
    return this.ports.loop.submit('cancel of a campaign', (turn) => cancelCampaign(turn, name), [
      asked('campaign', name),
    ]);
  }

  /**
   * Cancels an on-demand task, or a task of a run, which then fails. A running task is asked to stop; its agent reports
   * its final state.
   *
   * @throws ServiceError `not_found`, `wrong_state`
   */
  cancelTask(name: string, protocolRun?: string): Promise<Accepted> {
    return this.ports.loop.submit('cancel of a task', (turn) => cancelTask(turn, name, protocolRun), [
      protocolRun === undefined ? asked('onDemandTask', name) : asked('protocolRun', protocolRun),
    ]);
  }

  /**
   * Starts no more tasks; running ones continue. The run keeps its devices and timeouts.
   *
   * @param by person, for the audit
   * @throws ServiceError `not_found`; `wrong_state` when the run is paused, ending or over
   */
  pauseProtocolRun(name: string, by: string): Promise<Accepted> {
    const person = this.ports.person(by);
    return this.ports.loop.submit(
      'pause of a protocol run',
      (turn) => pauseWork(turn, person, 'protocol_run', name),
      [asked('protocolRun', name)],
    );
  }

  /** Starts no more runs, and no more tasks of the unfinished runs. @throws as {@link pauseProtocolRun} */
  pauseCampaign(name: string, by: string): Promise<Accepted> {
    const person = this.ports.person(by);
    return this.ports.loop.submit(
      'pause of a campaign',
      (turn) => pauseWork(turn, person, 'campaign', name),
      [asked('campaign', name)],
    );
  }

  /**
   * Resumes a paused, failed or cancelled run and keeps completed tasks.
   *
   * @param rights of the caller
   * @throws ServiceError `not_found`; `forbidden` for its laboratories; `wrong_state` when there is nothing to resume;
   *   `invalid`, `backlog_full`
   */
  resumeProtocolRun(name: string, by: string, rights = allLabs): Promise<Accepted> {
    const { loop, submit, person } = this.ports;
    return loop.submit(
      'resume of a protocol run',
      (turn) => resumeProtocolRun(turn, submit, person(by), name, rights),
      [asked('protocolRun', name)],
      { kind: 'protocolRun', name },
    );
  }

  /**
   * As {@link resumeProtocolRun}.
   *
   * @param overrides replace the optimizer overrides and settings of the same names
   * @throws also `duplicate_name` when another run has taken the name of a coming run
   */
  resumeCampaign(name: string, by: string, overrides?: JsonObject, rights = allLabs): Promise<Accepted> {
    return this.ports.campaigns.resume(name, by, overrides, rights);
  }
}

function asked(kind: NameKind, name: string): { kind: NameKind; names: string[] } {
  return { kind, names: [name] };
}
