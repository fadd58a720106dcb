import { ServiceError } from '@lab/contracts';

/** No process was subscribed to the subject of the request. The broker reports this at once, so no process saw it. */
export class ReachedNobody extends ServiceError {
  constructor(message: string) {
    super('service_unavailable', message, { effect: 'none' });
  }
}
