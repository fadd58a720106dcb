import { ServiceError } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';

/**
 * Ends a body that pauses for too long.
 *
 * @param pauseMs longest pause, in milliseconds
 * @returns stops the watch
 */
export function breakLongPauses(request: FastifyRequest, pauseMs: number): () => void {
  const { socket } = request.raw;
  const onTimeout = (): void => {
    request.raw.destroy(
      new ServiceError('bad_request', `The upload paused for more than ${pauseMs / 1000} s.`),
    );
  };
  socket.setTimeout(pauseMs);
  socket.once('timeout', onTimeout);
  return () => {
    socket.off('timeout', onTimeout);
    if (!socket.destroyed) socket.setTimeout(0);
  };
}
