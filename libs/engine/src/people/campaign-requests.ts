import {
  allLabs,
  isServiceError,
  ServiceError,
  toServiceError,
  unnamedPerson,
  type CampaignSubmission,
  type Fault,
  type Insight,
  type JsonObject,
  type JsonValue,
  type LabRights,
  type OptimizerDescription,
  type OptimizerStatus,
  type RuntimeParameterValues,
  type Submitted,
  type TaskParameters,
} from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { Timers } from '@lab/ports';
import {
  type CampaignRow,
  type OptimizerRow,
  type OptimizerSession,
  type Optimizers,
  conflict,
} from '../rows/index.js';
import {
  type Accepted,
  type SubmitPorts,
  comingRunNames,
  completeCampaign,
  domainFaults,
  protocolOf,
  refuse,
  runLimit,
} from '../submission/index.js';
import { type Person, type Turn, type TurnLoop, audit, auditRequest } from '../turn/index.js';
import { type CampaignOptimizers, makingOf, pendingTrials, setOptimizer, storable } from '../work/index.js';
import { protocolIn, refuseForeignWork } from './foreign-work.js';
import { openWork } from './open-work.js';
import { recallCampaign, resumeCampaign, resumedCampaign, submitOrResumeCampaign } from './resume.js';

/** Longest wait for an opening optimizer, in milliseconds; shorter than the caller's timeout. */
const longestOpeningMs = 25_000;
/** Default address of the optimizer worker. */
const thisComputer = '127.0.0.1';
/** Prefix of the path of a given row in the faults of an optimizer. */
const givenPath = 'given[';
/** Each of the two parameters determines the other, so setting one removes the other. */
const complements: Readonly<Record<string, string>> = { p_ai: 'p_bayesian', p_bayesian: 'p_ai' };

type Remade = Omit<OptimizerRow, 'insights' | 'best' | 'failure' | 'runtime'>;

/** An optimizer is made outside of turns before its campaign is accepted, so that the submission reports faults. */
export class CampaignRequests {
  constructor(
    private readonly ports: {
      loop: TurnLoop;
      submit: SubmitPorts;
      optimizers: Optimizers | undefined;
      sessions: CampaignOptimizers;
      timers: Timers;
      person: (by: string) => Person;
    },
  ) {}

  submit(submission: Omit<Submitted<CampaignSubmission>, 'rights'>, rights: LabRights): Promise<Accepted> {
    return this.#submitted('submission of a campaign', submission, rights, (turn, submit) => {
      const accepted = submit(turn);
      auditRequest(turn, submission.audit);
      return accepted;
    });
  }

  /**
   * Checks whether a campaign would be accepted, and makes its optimizer for this. Changes nothing. Throws as {@link
   * submit}.
   *
   * @returns the submission with its defaults; null: it resumes an existing campaign
   */
  tryOut(submission: CampaignSubmission, rights: LabRights): Promise<CampaignSubmission | null> {
    return this.#submitted('dry run of a campaign', submission, rights, (turn, submit) => {
      turn.rehearse(submit);
      return resumedCampaign(turn, submission) === undefined ? completeCampaign(submission) : null;
    });
  }

  async #submitted<Value>(
    what: string,
    submission: CampaignSubmission,
    rights: LabRights,
    how: (turn: Turn, submit: (turn: Turn) => Accepted) => Value,
  ): Promise<Value> {
    const { name, owner = unnamedPerson, resume, meta = {} } = submission;
    const overrides = meta['optimizer_overrides'];
    if (overrides !== undefined && !isObject(overrides))
      refuse('campaign', [fault('meta.optimizer_overrides', 'type', 'must be an object')]);
    const given = isObject(overrides) ? overrides : undefined;
    const known = resume === true ? await this.#find(name, rights) : undefined;
    const made =
      known === undefined && submission.optimize === true
        ? await this.#make(submission, given ?? {}, rights)
        : null;
    const remade = known === undefined ? undefined : await this.#remake(known, given, 'meta.');
    const limit = runLimit({ maxProtocolRuns: submission.max_protocol_runs });
    const submit = (turn: Turn): Accepted =>
      submitOrResumeCampaign(
        turn,
        this.ports.submit,
        this.ports.person(owner),
        submission,
        { made, remade },
        rights,
      );
    return this.ports.loop.submit(
      what,
      (turn) => how(turn, submit),
      [
        { kind: 'campaign', names: [name] },
        { kind: 'protocolRun', names: comingRunNames(name, 0, limit) },
      ],
      resume === true ? recallCampaign(name) : undefined,
    );
  }

  /**
   * Lets the optimizer of a campaign, if any, check rows that are given instead of trials.
   *
   * @throws ServiceError `invalid` with the path of each refused row; `optimizer_unavailable`
   */
  async checkTrials(name: string, rows: readonly TaskParameters[], rights: LabRights): Promise<void> {
    const campaign = await this.#find(name, rights);
    if (campaign?.optimizer == null || rows.length === 0) return;
    const { overrides } = campaign.optimizer;
    const snapshot = await this.#look(name, (row, turn) => turn.state.protocolOf(row));
    if (snapshot === undefined) throw conflict('the definition of its protocol is missing');
    await asFaults('', () => this.#describe(snapshot, campaign.optimizerIp, overrides, rows));
  }

  async resume(
    name: string,
    by: string,
    overrides: JsonObject | undefined,
    rights: LabRights,
  ): Promise<Accepted> {
    const known = overrides === undefined ? undefined : await this.#find(name, rights);
    const remade = known === undefined ? undefined : await this.#remake(known, overrides, '');
    return this.ports.loop.submit(
      'resume of a campaign',
      (turn) => resumeCampaign(turn, this.ports.submit, this.ports.person(by), name, remade, rights),
      [{ kind: 'campaign', names: [name] }],
      recallCampaign(name),
    );
  }

  async configure(
    name: string,
    by: string,
    params: RuntimeParameterValues,
  ): Promise<{ runtime_params: RuntimeParameterValues }> {
    const { sessions } = this.ports;
    const { id, session } = await this.#openedSession(name);
    try {
      const runtimeParams = storable(await session.configure(params)) as RuntimeParameterValues;
      await this.#look(name, (campaign, turn) => {
        if (sessions.stateOf(campaign).session !== session) throw unavailable('it was made anew meanwhile');
        setOptimizer(turn, campaign, { runtime_params: runtimeParams });
        audit(turn, this.ports.person(by), 'optimizer.configure', `campaign/${name}`, params);
      });
      return { runtime_params: runtimeParams };
    } catch (error) {
      const known = toServiceError(error, 'maybe');
      // The session may have settings that were not committed, so a new session with the committed ones replaces it.
      if (known.code !== 'invalid')
        this.ports.loop.enqueue('doubt about an optimizer', () => sessions.drop(id));
      throw known;
    }
  }

  addInsight(name: string, by: string, text: string): Promise<Insight> {
    return this.#look(name, (campaign, turn, { insights }) => {
      const insight = { id: this.ports.submit.ids.next(), text, by, at: turn.now };
      setOptimizer(turn, campaign, { insights: [...insights, { ...insight, used: false }] });
      audit(turn, this.ports.person(by), 'optimizer.insight', `campaign/${name}`, { text });
      return insight;
    });
  }

  async read(name: string, explain: boolean): Promise<OptimizerStatus> {
    const { sessions } = this.ports;
    const { status, session } = await this.#look(name, (campaign, turn, optimizer) => {
      const { overrides: _secrets, revision: _own, ...kept } = optimizer;
      const { state, session: of } = sessions.stateOf(campaign);
      const reason = campaign.reason?.code === 'waiting_for_optimizer' ? campaign.reason : null;
      const seen: OptimizerStatus = {
        ...kept,
        state,
        reason,
        worker: of?.worker ?? null,
        session: of?.id ?? null,
        pending: pendingTrials(turn.state, campaign),
        belief: null,
      };
      return { status: seen, session: of };
    });
    if (!explain || session === null) return status;
    const belief = await session.explain().catch((_silence: unknown) => null);
    return { ...status, belief };
  }

  async defaults(protocol: string, address = thisComputer): Promise<OptimizerDescription> {
    const snapshot = protocolOf(this.ports.submit, protocol, 'protocol', allLabs);
    if (snapshot.protocol.optimizer === undefined)
      throw new ServiceError('not_found', `the protocol "${protocol}" has no optimizer`);
    return this.#describe(snapshot, address, {});
  }

  /** Makes the optimizer of a submitted campaign. @throws ServiceError `invalid`, `optimizer_unavailable` */
  async #make(
    submission: CampaignSubmission,
    overrides: JsonObject,
    rights: LabRights,
  ): Promise<OptimizerRow> {
    const snapshot = protocolOf(this.ports.submit, submission.protocol, 'protocol', rights);
    const { optimizer: module, type } = snapshot.protocol;
    if (module === undefined)
      refuse('campaign', [
        fault('optimize', 'no_optimizer', `the protocol ${type} has no optimizer`, {
          hint: 'set optimize to false, or add optimizer.ts to the folder of the protocol and reload it',
        }),
      ]);
    const address = submission.optimizer_ip ?? thisComputer;
    const { protocol_run_parameters: given } = submission;
    const description = await asFaults('meta.', () => this.#describe(snapshot, address, overrides, given));
    const loaded = protocolOf(this.ports.submit, submission.protocol, 'protocol', rights);
    if (loaded.protocol.optimizer?.hash !== module?.hash)
      throw conflict(`the protocol ${type} was reloaded meanwhile; submit again`);
    return { ...description, insights: [], best: null, failure: null, runtime: null, overrides, revision: 0 };
  }

  /**
   * The optimizer of a resumed campaign with further overrides, which replace overrides and settings of the same names.
   *
   * @returns undefined: there are no further overrides
   */
  async #remake(
    campaign: CampaignRow,
    given: JsonObject | undefined,
    prefix: string,
  ): Promise<Remade | undefined> {
    if (given === undefined) return undefined;
    const { optimizer } = campaign;
    const path = `${prefix}optimizer_overrides`;
    if (optimizer === null) {
      refuse('resume', [fault(path, 'no_optimizer', `the campaign "${campaign.name}" has no optimizer`)]);
      return undefined;
    }
    refuse(
      'resume',
      domainFaults(given).map((each) => ({ ...each, path: prefix + each.path })),
    );
    const replaced = Object.keys(given).flatMap((key) => complements[key] ?? []);
    const before = (values: JsonObject): JsonObject =>
      Object.fromEntries(
        Object.entries(values).filter(([key]) => !Object.hasOwn(given, key) && !replaced.includes(key)),
      );
    const overrides = { ...before(optimizer.overrides), ...given };
    const snapshot = await this.#look(
      campaign.name,
      (row, turn) => turn.state.protocolOf(row) ?? protocolIn(turn.ended('campaign', row.name), row),
      true,
    );
    if (snapshot === undefined) throw conflict('the definition of its protocol is missing');
    const description = await asFaults(prefix, () =>
      this.#describe(snapshot, campaign.optimizerIp, {
        ...overrides,
        ...before(optimizer.runtime_params),
        ...given,
      }),
    );
    for (const list of ['input_names', 'output_names'] as const)
      if (description[list].join() !== optimizer[list].join())
        refuse('resume', [fault(path, 'domain', `the overrides would change the ${list} of the optimizer`)]);
    return { ...description, overrides, revision: optimizer.revision + 1 };
  }

  async #describe(
    snapshot: ProtocolSnapshot,
    address: string,
    overrides: JsonObject,
    given?: readonly TaskParameters[],
  ): Promise<OptimizerDescription> {
    const making = makingOf(snapshot, overrides);
    if (making === undefined || this.ports.optimizers === undefined)
      throw new ServiceError('optimizer_unavailable', 'this service has no optimizer');
    const description = await this.ports.optimizers.describe(address, making, given);
    return storable(description) as OptimizerDescription;
  }

  /**
   * The campaign of that name, over or not; undefined: there is none.
   *
   * @throws ServiceError `not_found` or `forbidden` for its laboratories
   */
  #find(name: string, rights: LabRights): Promise<CampaignRow | undefined> {
    const look = (turn: Turn): CampaignRow | undefined => {
      refuseForeignWork(turn, rights, 'campaign', name);
      return campaignIn(turn, name);
    };
    return this.ports.loop.submit('look for a campaign', look, [], { kind: 'campaign', name });
  }

  /**
   * Runs `act` in a turn on a campaign with an optimizer.
   *
   * @param overToo whether the campaign may be over
   * @throws ServiceError `not_found`, `wrong_state`
   */
  #look<Value>(
    name: string,
    act: (campaign: CampaignRow, turn: Turn, optimizer: OptimizerRow) => Value,
    overToo = false,
  ): Promise<Value> {
    return this.ports.loop.submit(
      'look at an optimizer',
      (turn) => {
        const campaign = (overToo ? campaignIn(turn, name) : undefined) ?? openWork(turn, 'campaign', name);
        if (campaign.optimizer === null) throw conflict(`the campaign "${name}" has no optimizer`);
        return act(campaign, turn, campaign.optimizer);
      },
      [{ kind: 'campaign', names: [name] }],
      overToo ? { kind: 'campaign', name } : undefined,
    );
  }

  /** The session of a campaign. Waits for a session that is opening. @throws ServiceError `optimizer_unavailable` */
  async #openedSession(name: string): Promise<{ id: string; session: OptimizerSession }> {
    const { sessions } = this.ports;
    const look = () =>
      this.#look(name, (campaign) => {
        const { state, session } = sessions.stateOf(campaign);
        // Subscribes in the turn that sees the opening, so that its outcome cannot be missed.
        const opened = session === null && state === 'opening' ? sessions.opened(campaign.id) : undefined;
        return { id: campaign.id, why: campaign.reason?.message, opened, session };
      });
    let seen = await look();
    if (seen.opened !== undefined) {
      await this.#atMost(longestOpeningMs, seen.opened);
      seen = await look();
    }
    const { id, session, why = 'it is being made' } = seen;
    if (session === null) throw unavailable(why);
    return { id, session };
  }

  #atMost(ms: number, awaited: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.ports.timers.after(ms, resolve);
      void awaited.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

function campaignIn(turn: Turn, name: string): CampaignRow | undefined {
  const { campaigns, campaignNames } = turn.state.rows;
  return campaigns.get(campaignNames.get(name) ?? '') ?? turn.ended('campaign', name)?.campaign ?? undefined;
}

function unavailable(why: string): ServiceError {
  return new ServiceError('optimizer_unavailable', `the optimizer of the campaign is not available: ${why}`);
}

/** Turns the refusal or failure of an optimizer into faults of the input from which it was made. */
async function asFaults<Value>(prefix: string, make: () => Promise<Value>): Promise<Value> {
  try {
    return await make();
  } catch (error) {
    if (!isServiceError(error) || (error.code !== 'invalid' && error.code !== 'optimizer_error')) throw error;
    const { authorStack } = error;
    const isOfRow = ({ path }: Fault): boolean => path.startsWith(givenPath);
    const message = error.faults.some(isOfRow)
      ? error.message
      : `the optimizer cannot be made: ${error.message}`;
    const faults: Fault[] =
      error.faults.length === 0
        ? [fault('optimize', error.code, message)]
        : error.faults.map((each) => {
            if (isOfRow(each))
              return { ...each, path: `protocol_run_parameters${each.path.slice(givenPath.length - 1)}` };
            return each.path.startsWith('optimizer_overrides') ? { ...each, path: prefix + each.path } : each;
          });
    throw new ServiceError('invalid', message, {
      faults,
      cause: error,
      ...(authorStack === undefined ? {} : { authorStack }),
    });
  }
}

function fault(path: string, code: string, message: string, more: Pick<Fault, 'hint'> = {}): Fault {
  return { path, code, message, ...more };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
