import type { QueuedTask } from '@lab/api-client';
import {
  membersOf,
  moves,
  placeWith,
  priorityAfter,
  priorityLimits,
  scopesOf,
  type WorkScope,
} from '@lab/web-model';
import { useState, type ReactNode } from 'react';
import { Button, Dialog, Failure, TextField } from '../design/index.js';
import { changeWork, reasonOf, useMayAct } from '../lab/index.js';
import { useWords } from '../settings/index.js';
import { ScopeField, subjectOf } from './scope.js';

/**
 * Gives waiting work another place by its priority, and says first which place that is.
 *
 * @param tasks the waiting tasks that are listed
 */
export function MoveWaiting({
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
  const mayChange = useMayAct();
  const [scope, setScope] = useState<WorkScope>(() => (scopesOf(task).includes('run') ? 'run' : 'task'));
  const [text, setText] = useState(String(task.priority));
  const [failure, setFailure] = useState<string>();
  const members = membersOf(tasks, task, scope);
  const priority = priorityIn(text);
  const { min, max } = priorityLimits;
  const wrong = words.say('work.number.wrong', { text: text.trim(), min: String(min), max: String(max) });
  const send = async (): Promise<void> => {
    if (priority === undefined) return setFailure(wrong);
    try {
      await changeWork(subjectOf(task, scope), { priority });
      onDone();
    } catch (error) {
      setFailure(words.say('work.failed', { reason: reasonOf(error) }));
    }
    return undefined;
  };
  return (
    <Dialog onClose={onClose} title={words.say('queue.move.title', { task: task.label })}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <ScopeField label={words.say('queue.scope')} {...{ tasks, task, scope }} onChange={setScope} />
        <div className="buttons">
          {moves.map((move) => (
            <Button
              key={move}
              disabled={priority === undefined}
              onClick={() => setText(String(priorityAfter(tasks, task, members, priority ?? 0, move)))}
            >
              {words.say(`queue.move.${move}`)}
            </Button>
          ))}
        </div>
        <TextField
          label={words.say('queue.priority')}
          hint={words.say('queue.priority.hint', {
            ...{ min: String(min), max: String(max) },
            priority: String(task.priority),
          })}
          data-first
          inputMode="numeric"
          value={text}
          onChange={setText}
        />
        <div role="status" className="effect">
          {priority === undefined ? <p>{wrong}</p> : <Effect {...{ tasks, task, members, priority }} />}
        </div>
        <Failure>{failure}</Failure>
        <div className="buttons">
          <Button type="submit" look="main" disabled={!mayChange || priority === undefined}>
            {words.say('queue.move.do', { priority: priority === undefined ? '' : String(priority) })}
          </Button>
          <Button onClick={onClose}>{words.say('stop.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** @returns undefined for a text that is no priority */
function priorityIn(text: string): number | undefined {
  const priority = Number(text.trim());
  const { min, max } = priorityLimits;
  return text.trim() !== '' && Number.isInteger(priority) && priority >= min && priority <= max
    ? priority
    : undefined;
}

function Effect({
  tasks,
  task,
  members,
  priority,
}: {
  tasks: readonly QueuedTask[];
  task: QueuedTask;
  members: readonly QueuedTask[];
  priority: number;
}): ReactNode {
  const words = useWords();
  const { before, others } = placeWith(tasks, task, members, priority);
  return (
    <>
      <p>
        {others === 0 ? words.say('queue.move.alone') : words.say('queue.move.effect', { before, others })}
      </p>
      {members.every((each) => each.priority === priority) && <p>{words.say('queue.move.same')}</p>}
      <p className="hint">
        {words.say('queue.move.running')} {task.planned_start !== null && words.say('queue.move.plan')}
      </p>
    </>
  );
}
