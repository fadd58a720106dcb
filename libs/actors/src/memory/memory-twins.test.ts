import { journalContract, type JournalUnderTest } from '../../test/journal-contract.js';
import { taskProcessesContract } from '../../test/process-contract.js';
import { MemoryJournal, MemoryTaskProcesses } from '../index.js';

const underTest = (journal: MemoryJournal): JournalUnderTest => ({
  journal,
  afterCrash: async () => underTest(journal.crash()),
  dispose: async () => undefined,
});

journalContract('memory', async () => underTest(new MemoryJournal()));
taskProcessesContract('memory', () => new MemoryTaskProcesses({}));
