export { Broken } from './broken.js';
export { Chart, type ChartPoint } from './chart.js';
export { Effects, pairs } from './effects.js';
export { useDefinition } from './definition.js';
export { LogLines } from './log-lines.js';
export { LogTail } from './log-tail.js';
export { Progress } from './progress.js';
export { Unread } from './unread.js';
export { Values, type Declared } from './values.js';
