import { NotBegun } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  delimited,
  ExchangeError,
  Link,
  NoAnswer,
  twinTransport,
  type LinkOptions,
  type Transport,
  type Twin,
} from '../../src/kit.js';
import { TestTime } from '../test-time.js';

const timeoutMs = 1_000;
const ask = (name: string, timeout = timeoutMs) => ({
  ...{ name, bytes: Buffer.from(`${name}\n`), timeoutMs: timeout },
  read: (frame: Buffer) => ({ answer: frame.toString() }),
});
const tell = (name: string, urgent = false) => ({ name, bytes: Buffer.from(`${name}\n`), timeoutMs, urgent });

/** An instrument that repeats each line after a while, or is silent. */
class Parrot implements Twin {
  readonly heard: string[] = [];
  isSilent = false;
  delay = 10;
  /** What it adds: the first at once, the others after 50 ms. */
  more: string[] = [];

  constructor(private readonly time: TestTime) {}

  connect(send: (bytes: Buffer) => void) {
    return {
      receive: (bytes: Buffer) => {
        for (const line of bytes.toString().split('\n').filter(Boolean)) {
          this.heard.push(line);
          if (this.isSilent || line.startsWith('!')) continue;
          const [at, ...later] = this.more;
          const now = at === undefined ? line : `${line}\n${at}`;
          this.time.after(this.delay, () => send(Buffer.from(`${now}\n`)));
          for (const text of later) this.time.after(this.delay + 50, () => send(Buffer.from(`${text}\n`)));
        }
      },
    };
  }
}

/** A transport whose lines a test can end, and which it can close for good. */
function breakable(
  inner: Transport,
): Transport & { cut(why: string): void; isGone: boolean; opened: number } {
  let end: (why: string) => void = () => undefined;
  const transport = {
    label: inner.label,
    isGone: false,
    opened: 0,
    cut: (why: string) => end(why),
    open(...[events, signal]: Parameters<Transport['open']>) {
      if (transport.isGone) return Promise.reject(new Error('it is switched off'));
      transport.opened += 1;
      let isOver = false;
      end = (why) => {
        isOver = true;
        events.ended(why);
      };
      return inner.open({ ...events, bytes: (bytes) => (isOver ? undefined : events.bytes(bytes)) }, signal);
    },
  };
  return transport;
}

async function linked(options: Partial<LinkOptions> = {}) {
  const time = new TestTime();
  const parrot = new Parrot(time);
  const transport = breakable(twinTransport('parrot', parrot, time));
  const said: string[] = [];
  const log = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) };
  const link = new Link({
    transport,
    time,
    log,
    framer: () => delimited('\n'),
    recovery: 'reopened',
    ...options,
  });
  await time.until(link.start());
  return { link, parrot, said, time, transport };
}

describe('a link', () => {
  it('sends the next request when the one before has its answer, in the order of their arrival', async () => {
    const { link, parrot, time } = await linked();
    const answers = Promise.all(['a', 'b', 'c'].map((name) => link.exchange(ask(name))));
    await time.pass(5);
    expect(parrot.heard).toEqual(['a']);
    expect(await time.until(answers)).toEqual(['a', 'b', 'c']);
  });

  it('ends a request without an answer when its bytes are handed over', async () => {
    const { link, parrot, time } = await linked();
    await time.until(link.exchange(tell('!go')));
    expect(parrot.heard).toEqual(['!go']);
    expect(time.now()).toBe(0);
  });

  it('greets each new line before a request leaves, and repeats none', async () => {
    const greet: LinkOptions['greet'] = async (exchange) => {
      await exchange(tell('!safe'));
      await exchange(ask('who'));
    };
    const { link, parrot, said, time, transport } = await linked({ greet });
    const lost = expect(link.exchange(ask('move'))).rejects.toBeInstanceOf(ExchangeError);
    await time.pass(1);
    transport.cut('unplugged');
    const next = link.exchange(ask('next'));
    await lost;
    expect(await time.until(next)).toBe('next');
    expect(parrot.heard).toEqual(['!safe', 'who', 'move', '!safe', 'who', 'next']);
    expect(said).toEqual(['parrot is lost: unplugged', 'parrot is connected again']);
  });

  it('does not open when the greeting fails', async () => {
    const wrong = () => Promise.reject(new Error('another instrument'));
    await expect(linked({ greet: wrong })).rejects.toThrow('another instrument');
  });

  it('lets a request wait for a lost line as long as for an answer; then it has not begun', async () => {
    const { link, parrot, time, transport } = await linked();
    transport.isGone = true;
    transport.cut('unplugged');
    const began = time.now();
    const refused = link.exchange(ask('late', 700));
    await expect(time.until(refused)).rejects.toThrow(
      'late was not sent: parrot is not connected: it is switched off',
    );
    await expect(refused).rejects.toBeInstanceOf(NotBegun);
    expect(time.now() - began).toBe(700);
    expect(link.status).toEqual({ connected: false, detail: 'it is switched off' });
    transport.isGone = false;
    expect(await time.until(link.exchange(ask('back', 5_000)))).toBe('back');
    expect(parrot.heard).toEqual(['back']);
  });

  it('waits longer and longer between attempts to open a lost line', async () => {
    const { time, transport } = await linked({ firstPauseMs: 100, longestPauseMs: 400 });
    let attempts = 0;
    transport.open = () => {
      attempts += 1;
      return Promise.reject(new Error('off'));
    };
    transport.cut('unplugged');
    await time.pass(1_600);
    // After 100, 300, 700, 1100 and 1500 ms.
    expect(attempts).toBe(5);
  });

  it('notices by a heartbeat that nobody is there', async () => {
    const beat: NonNullable<LinkOptions['heartbeat']>['beat'] = (exchange) => exchange(ask('beat'));
    const { link, parrot, said, time } = await linked({
      recovery: 'matched',
      heartbeat: { everyMs: 5_000, beat },
    });
    await time.pass(11_000);
    expect(parrot.heard).toEqual(['beat', 'beat']);
    parrot.isSilent = true;
    await time.pass(6_500);
    expect(said[0]).toMatch(/parrot is lost: no heartbeat: beat: parrot did not answer within 1 s/);
    await link.close();
  });

  it('sends no heartbeat while something is exchanged', async () => {
    const beat: NonNullable<LinkOptions['heartbeat']>['beat'] = (exchange) => exchange(ask('beat'));
    const { link, parrot, time } = await linked({ heartbeat: { everyMs: 5_000, beat } });
    for (let count = 0; count < 5; count += 1) {
      await time.until(link.exchange(ask('work')));
      await time.pass(4_000);
    }
    expect(parrot.heard).not.toContain('beat');
  });

  it('that is interrupted fails what runs, refuses what waits, and lets urgent requests leave at once', async () => {
    const { link, parrot, time } = await linked();
    parrot.isSilent = true;
    const running = link.exchange(ask('move', 60_000));
    const waiting = link.exchange(ask('weigh'));
    const failed = Promise.all([
      expect(running).rejects.toThrow('move was interrupted: stop'),
      expect(waiting).rejects.toBeInstanceOf(NotBegun),
    ]);
    await time.pass(5);
    link.interrupt('stop');
    const safe = async (): Promise<void> => {
      for (const name of ['!off', '!vent']) await link.exchange(tell(name, true));
    };
    await time.until(safe());
    await failed;
    expect(parrot.heard).toEqual(['move', '!off', '!vent']);
    expect(time.now()).toBeLessThan(10);
  });

  it('throws late bytes away before the next request, and opens the line again without another way', async () => {
    const { link, parrot, time, transport } = await linked();
    parrot.delay = 1_500;
    await expect(time.until(link.exchange(ask('slow')))).rejects.toBeInstanceOf(NoAnswer);
    parrot.delay = 10;
    expect(await time.until(link.exchange(ask('next')))).toBe('next');
    expect(transport.opened).toBe(2);
  });

  it('waits for the end of an answer that is longer than it should be', async () => {
    const { link, parrot, time } = await linked({
      recovery: 'drained',
      sync: async (exchange) => void (await exchange(ask('sync'))),
    });
    parrot.more = ['much', 'more'];
    expect(await time.until(link.exchange(ask('one')))).toBe('one');
    parrot.more = [];
    parrot.delay = 80;
    expect(await time.until(link.exchange(ask('two')))).toBe('two');
  });

  it('takes the latest answer to a question when the line stays quiet after it', async () => {
    const { link, parrot, time } = await linked();
    parrot.more = ['old', 'new'];
    const before = time.now();
    expect(await time.until(link.exchange({ ...ask('one'), quietMs: 300 }))).toBe('new');
    expect(time.now() - before).toBe(10 + 50 + 300);
    parrot.isSilent = true;
    await expect(time.until(link.exchange({ ...ask('two'), quietMs: 300 }))).rejects.toBeInstanceOf(NoAnswer);
  });

  it('refuses everything once it is closed', async () => {
    const { link, time } = await linked();
    const running = expect(link.exchange(ask('move'))).rejects.toBeInstanceOf(ExchangeError);
    const waiting = expect(link.exchange(ask('weigh'))).rejects.toBeInstanceOf(NotBegun);
    await time.until(link.close());
    await running;
    await waiting;
    await expect(link.exchange(ask('more'))).rejects.toThrow(
      'more was not sent: parrot is not connected: it is closed',
    );
  });

  it('gives up a line that is not open in time', async () => {
    const time = new TestTime();
    const transport: Transport = {
      label: 'black hole',
      open: (_, signal) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const log = { info: () => undefined, warn: () => undefined };
    const link = new Link({
      transport,
      time,
      log,
      framer: () => delimited('\n'),
      recovery: 'reopened',
      openMs: 300,
    });
    await expect(time.until(link.start())).rejects.toThrow('no connection within 0.3 s');
  });
});
