import { isServiceError, ServiceError, type AttemptReport } from '@lab/contracts';
import type { Clock, Log, Random, Timers } from '@lab/ports';
import { Retry, type AgentLimits, type Hello, type Orchestrator, type Registration } from '../ports/index.js';

export interface RegistrarPorts {
  clock: Clock;
  timers: Timers;
  random: Random;
  log: Log;
  orchestrator: Orchestrator;
}

/** What the registrar needs from its agent. */
export interface Registrant {
  /** When it fires, the agent stops and no registration begins. */
  readonly signal: AbortSignal;
  /** The present content of a hello. */
  hello(): Hello;
  /** The highest epoch that the agent knows. */
  epoch(): number;
  /**
   * Takes a registration.
   *
   * @param reported the attempts that the hello named
   * @param sentAt when the hello was sent, by the clock of the ports
   */
  registered(registration: Registration, reported: AttemptReport[], sentAt: number): Promise<void>;
  /**
   * A leader has answered that no laboratory names this computer, or that another agent of this computer stays connected.
   *
   * @returns whether the agent gives up
   */
  refused(reason: ServiceError): boolean;
}

/** The release of the agent does not fit that of the service. */
const isMisfit = (error: unknown): boolean => isServiceError(error) && error.code === 'upgrade_required';

/** Registers an agent: says hello until a leader answers that is not outdated or refuses it, one hello at a time. */
export class Registrar {
  readonly #retry: Retry;
  /** The registration in progress. */
  #running: Promise<void> | undefined;
  /** Another registration was requested meanwhile. */
  #again = false;
  #misfit = false;

  constructor(
    private readonly agent: Registrant,
    private readonly ports: RegistrarPorts,
    private readonly limits: AgentLimits,
  ) {
    this.#retry = new Retry(ports, { first: limits.retryMs, longest: limits.registerRetryMaxMs });
  }

  /** The leader has refused the agent because its release does not fit. */
  get isMisfit(): boolean {
    return this.#misfit;
  }

  /** Registers the agent, now or after the registration in progress, whose pause it ends. */
  register(): void {
    if (this.agent.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#again = true;
      this.#retry.hurry();
      return;
    }
    this.#again = false;
    this.#running = this.#register().finally(() => {
      this.#running = undefined;
      if (this.#again) this.register();
    });
  }

  /** Never rejects. */
  async #register(): Promise<void> {
    const { clock, log, orchestrator } = this.ports;
    const { signal } = this.agent;
    try {
      let reported: AttemptReport[] = [];
      let sentAt = 0;
      let otherSince: number | undefined;
      const registration = await this.#retry.run(
        async () => {
          this.#again = false;
          const hello = this.agent.hello();
          reported = hello.attempts;
          sentAt = clock.now();
          const answer = await orchestrator.register(hello);
          const epoch = this.agent.epoch();
          if (answer.epoch >= epoch) return answer;
          throw new ServiceError(
            'stale_message',
            `the answer came from a leader of epoch ${answer.epoch}; this agent knows epoch ${epoch}`,
          );
        },
        {
          signal,
          // A leader that appeared meanwhile may be of another release.
          longest: (error) => (isMisfit(error) && !this.#again ? this.limits.misfitRetryMs : undefined),
          failed: (error, pauseMs) => {
            const refusal = isServiceError(error) ? error : undefined;
            this.#misfit = isMisfit(error);
            const other = refusal?.code === 'wrong_state';
            if (other) otherSince ??= clock.now();
            const stays = other && clock.now() - (otherSince ?? 0) >= this.limits.otherAgentMs;
            if (
              refusal !== undefined &&
              (stays || refusal.code === 'not_found') &&
              this.agent.refused(refusal)
            )
              return true;
            const context = { reason: String(error), again_in_ms: Math.round(pauseMs) };
            if (other) log.warn('another agent of this computer is connected', context);
            else if (this.#misfit)
              log.error('the release of this agent does not fit that of the service', context);
            else log.info('not registered yet', context);
            return false;
          },
        },
      );
      this.#misfit = false;
      await this.agent.registered(registration, reported, sentAt);
    } catch (error) {
      if (!signal.aborted) log.error('registration failed', { reason: String(error) });
    }
  }
}
