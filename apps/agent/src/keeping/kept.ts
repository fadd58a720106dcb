import { Socket } from 'node:net';

/**
 * The pipes between a keeper and its agent. A pipe for each direction: on Windows a read that waits would block each write on
 * one for both.
 */
export const keeperPipes = { toAgent: 3, fromAgent: 4 } as const;

/** What an agent tells its keeper. Later versions must keep these words: keepers are older than what they start. */
export const agentWords = {
  /** The agent is registered with the orchestrator. */
  serving: 'serving',
  /** Somebody asked the agent to end. */
  stopping: 'stopping',
} as const;

/** The keeper of this process. */
export interface Keeper {
  tell(word: keyof typeof agentWords): void;
}

/**
 * Connects this process with the keeper that started it. The process is stopped in order when the keeper is gone.
 *
 * @throws Error when no keeper started this process
 */
export function keptHere(): Keeper {
  const input = open(keeperPipes.toAgent);
  const output = open(keeperPipes.fromAgent);
  const tell: Keeper['tell'] = (word) => void output.write(`${agentWords[word]}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      tell('stopping');
      // The agent, which stops in order, does not listen yet.
      if (process.listenerCount(signal) === 0) process.exit(0);
    });
  for (const pipe of [input, output]) pipe.on('error', () => undefined /* the keeper is gone */).unref();
  input.once('close', () => process.emit('SIGTERM')).resume();
  return { tell };
}

function open(descriptor: number): Socket {
  try {
    const isInput = descriptor === keeperPipes.toAgent;
    return new Socket({ fd: descriptor, readable: isInput, writable: !isInput });
  } catch (error) {
    throw new Error('--kept is for the agent that "svc-agent run" starts; leave it out', { cause: error });
  }
}
