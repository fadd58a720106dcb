import { ApiClient } from '@lab/api-client';
import { noteDate } from './clock.js';

/** Tells the service that a request comes from its own page. */
const headers = { 'x-svc-page': '1' };

/** The service that this page came from. */
export const client = new ApiClient(location.origin, {
  headers,
  async fetch(...request) {
    const response = await fetch(...request);
    noteDate(response.headers.get('date'));
    return response;
  },
});

/** Exchanges an access token for a session, whose cookie no script can read. @throws as the client does */
export async function beginSession(token: string): Promise<void> {
  await new ApiClient(location.origin, { headers, token, retries: 0 }).post('/api/sessions');
}
