import { ServiceError } from '@lab/contracts';

/** A request for which nobody was subscribed, as the broker itself says at once: no process has seen it. */
export class ReachedNobody extends ServiceError {
  constructor(message: string) {
    super('service_unavailable', message, { effect: 'none' });
  }
}
