// Updates the agent with the options given as JSON, and kills itself after the step given. Stands for a power cut.
import { update } from '../../dist/updates/index.js';

const [, , stage, options] = process.argv;
await update({
  ...JSON.parse(options),
  say: () => undefined,
  onStage: (reached) => reached === stage && process.kill(process.pid, 'SIGKILL'),
});
