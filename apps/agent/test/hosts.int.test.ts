import { MemoryLog } from '@lab/actors/testing';
import { taskProcessesContract } from '@lab/actors/testing/contracts';
import { Python } from '@lab/hosting';
import { beforeAll } from 'vitest';
import { ForkedTaskProcesses } from '../src/hosts.js';

const python = new Python();
beforeAll(() => python.demand({ package: 'the test', source: 'of its hosts' }));

const interpreters = { program: () => python.program };
const processes = () => new ForkedTaskProcesses(interpreters, new MemoryLog());
taskProcessesContract('forked', processes);
taskProcessesContract('forked, in Python', processes, 'python');
