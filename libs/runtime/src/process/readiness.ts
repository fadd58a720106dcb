/** Messages of a service to the process that forked it, over the IPC channel. */
export type ServiceMessage =
  | { type: 'ready'; service: string; pid: number; details: Record<string, unknown> }
  | { type: 'failed'; message: string };

export function isServiceMessage(value: unknown): value is ServiceMessage {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'ready') return 'details' in value && typeof value.details === 'object';
  return value.type === 'failed' && 'message' in value && typeof value.message === 'string';
}
