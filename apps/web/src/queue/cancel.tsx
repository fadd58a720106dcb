import type { QueuedTask } from '@lab/api-client';
import type { WorkScope } from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure } from '../design/index.js';
import { actOnWork, reasonOf } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { ScopeField, subjectOf } from './scope.js';

/** Cancels a task that waits, or the work that it belongs to, and says first what follows. */
export function CancelWaiting({
  tasks,
  task,
  onClose,
  onDone,
}: {
  tasks: readonly QueuedTask[];
  task: QueuedTask;
  onClose(): void;
  onDone(): void;
}): ReactNode {
  const words = useWords();
  const [scope, setScope] = useState<WorkScope>('task');
  const [failure, setFailure] = useState<string>();
  const run = task.protocol_run;
  const send = async (): Promise<void> => {
    try {
      await actOnWork(subjectOf(task, scope), 'cancel');
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('queue.cancel.title', { task: task.label })}>
      <ScopeField label={words.say('queue.scope.cancel')} {...{ tasks, task, scope }} onChange={setScope} />
      <p role="status">
        {scope !== 'task'
          ? words.say('queue.cancel.effect.work')
          : run === null
            ? words.say('queue.cancel.effect.alone')
            : words.say('queue.cancel.effect.task', { run })}
      </p>
      <Failure>{failure}</Failure>
      <div className="buttons">
        {/* The act is not reached by a second press of the same key. */}
        <Button look="danger" onClick={() => void send()}>
          {words.say('queue.cancel.do')}
        </Button>
        <Button data-first onClick={onClose}>
          {words.say('stop.cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
