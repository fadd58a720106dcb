import type { Meter, MetricLabels } from '@lab/runtime';
import type { FastifyInstance } from 'fastify';

/** Upper bounds of the buckets for durations, in seconds. */
const times = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts requests by method, route and status. Requests without a route count as one route. Addresses are not recorded. */
export function measureRequests(fastify: FastifyInstance, meter: Meter): void {
  const count = meter.counter('svc_http_requests_total', 'Requests that were answered.');
  const took = meter.histogram('svc_http_request_seconds', 'Time until a request was answered.', times);
  const known = new Map<string, { labels: MetricLabels; byStatus: Map<number, MetricLabels> }>();
  const labelsOf = (method: string, route: string, status: number): [MetricLabels, MetricLabels] => {
    const key = `${method} ${route}`;
    const { labels, byStatus } = known.get(key) ?? { labels: { method, route }, byStatus: new Map() };
    const withStatus = byStatus.get(status) ?? { ...labels, status: String(status) };
    byStatus.set(status, withStatus);
    known.set(key, { labels, byStatus });
    return [labels, withStatus];
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    const [labels, withStatus] =
      url === undefined
        ? labelsOf('any', 'none', reply.statusCode)
        : labelsOf(request.method, url, reply.statusCode);
    count(withStatus);
    took(reply.elapsedTime / 1_000, labels);
    done();
  });
}
