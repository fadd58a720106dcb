import type { WordKey } from '@lab/web-model';
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, Dialog } from '../design/index.js';
import { useWords } from '../settings/index.js';

export interface Command {
  key: WordKey;
  run(): void;
}

/** Goes to a page or does an act by its name: Ctrl K. */
export function Commands({ commands }: { commands: readonly Command[] }): ReactNode {
  const words = useWords();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Button look="quiet" className="command" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <span className="wide">{words.say('command.open')}</span> <kbd>{words.say('command.keys')}</kbd>
      </Button>
      {open && <List commands={commands} onClose={() => setOpen(false)} />}
    </>
  );
}

function List({ commands, onClose }: { commands: readonly Command[]; onClose(): void }): ReactNode {
  const words = useWords();
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const wanted = text.trim().toLocaleLowerCase(words.language);
  const found = commands.filter(({ key }) =>
    words.say(key).toLocaleLowerCase(words.language).includes(wanted),
  );
  const at = Math.min(place, found.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setPlace((at + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <Dialog onClose={onClose} title={words.say('command.open')}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-label={words.say('command.placeholder')}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
        placeholder={words.say('command.placeholder')}
        value={text}
        autoComplete="off"
        onChange={({ target }) => {
          setText(target.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={words.say('command.open')} className="choices">
        {found.map((command, index) => (
          <div
            key={command.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="choice"
            onClick={() => run(command)}
          >
            {words.say(command.key)}
          </div>
        ))}
      </div>
      <p role="status">{found.length === 0 ? words.say('command.none', { text }) : ''}</p>
    </Dialog>
  );
}
