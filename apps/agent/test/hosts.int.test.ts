import { MemoryLog } from '@lab/actors';
import { taskProcessesContract } from '../../../libs/actors/test/contracts/process-contract.js';
import { ForkedTaskProcesses } from '../src/hosts.js';

taskProcessesContract('forked', () => new ForkedTaskProcesses(new MemoryLog()));
