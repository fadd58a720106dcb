import { situationOf } from '@lab/web-model';
import { CatchBoundary, Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { useSight } from '../lab/index.js';
import { Broken } from '../parts/index.js';
import { useSettings } from '../settings/index.js';
import { EmergencyStop } from '../stop/index.js';
import { Commands, type Command } from './commands.js';
import { Connection, Locked } from './connection.js';
import { Halts } from './halts.js';
import { SettingsMenu } from './settings-menu.js';

/** What is on every page: where to go, how old the data is, what stands still, and the emergency stop. */
export function Shell({ onSignOut }: { onSignOut: (() => void) | undefined }): ReactNode {
  const { words, settings, change } = useSettings();
  const navigate = useNavigate();
  const address = useLocation({ select: ({ pathname }) => pathname });
  const { records } = useSight();
  const { questions, warnings } = useMemo(() => situationOf(records), [records]);
  useTitle(questions.length);
  useSound(questions.length);
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen, the list of pages is longer than its line.
  useEffect(() => {
    nav.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [address, questions.length, warnings.length]);
  const commands: Command[] = [
    { key: 'nav.now', run: () => void navigate({ to: '/' }) },
    { key: 'nav.attention', run: () => void navigate({ to: '/attention' }) },
    { key: 'nav.schedule', run: () => void navigate({ to: '/schedule' }) },
    { key: 'work.title', run: () => void navigate({ to: '/work' }) },
    { key: 'nav.queue', run: () => void navigate({ to: '/queue' }) },
    { key: 'nav.devices', run: () => void navigate({ to: '/devices' }) },
    { key: 'devices.computers', run: () => void navigate({ to: '/computers' }) },
    { key: 'nav.resources', run: () => void navigate({ to: '/resources' }) },
    { key: 'nav.submit', run: () => void navigate({ to: '/submit' }) },
    { key: 'access.title', run: () => void navigate({ to: '/access' }) },
    { key: 'usage.title', run: () => void navigate({ to: '/usage' }) },
    { key: 'bench.title', run: () => void navigate({ to: '/bench' }) },
    { key: 'labels.title', run: () => void navigate({ to: '/labels' }) },
    { key: 'now.wall', run: () => void navigate({ to: '/wall' }) },
    { key: 'nav.rest', run: () => window.location.assign('/docs') },
    { key: 'nav.guide', run: () => window.location.assign('/guide/README.md') },
    { key: 'settings.theme.light', run: () => change({ theme: 'light' }) },
    { key: 'settings.theme.dark', run: () => change({ theme: 'dark' }) },
    {
      key: 'settings.language',
      run: () => change({ language: settings.language === 'en' ? 'de' : 'en' }),
    },
  ];
  return (
    <>
      <a className="skip" href="#content">
        {words.say('app.skip')}
      </a>
      <header className="head">
        <nav aria-label={words.say('nav.label')} className="nav" ref={nav}>
          <Link to="/" activeOptions={{ exact: true }}>
            {words.say('nav.now')}
          </Link>
          <Link to="/attention">
            {words.say('nav.attention')}
            {questions.length + warnings.length > 0 && (
              <span className={`count tone-${questions.length > 0 ? 'alarm' : 'warning'}`}>
                {questions.length + warnings.length}
              </span>
            )}
          </Link>
          <Link to="/work">{words.say('work.title')}</Link>
          <Link to="/schedule">{words.say('nav.schedule')}</Link>
          <Link to="/queue">{words.say('nav.queue')}</Link>
          <Link to="/devices">{words.say('nav.devices')}</Link>
          <Link to="/resources">{words.say('nav.resources')}</Link>
          <Link to="/submit">{words.say('nav.submit')}</Link>
        </nav>
        <div className="tools">
          <Connection />
          <Commands commands={commands} />
          <SettingsMenu onSignOut={onSignOut} />
          <EmergencyStop />
        </div>
      </header>
      <Locked />
      <Halts />
      <main id="content" tabIndex={-1} className="content">
        {/* It outlives each page, so that also a page that fails while it goes leaves the head and its stop. */}
        <CatchBoundary getResetKey={() => address} errorComponent={Broken}>
          <Outlet />
        </CatchBoundary>
      </main>
    </>
  );
}

/** The number of questions stands in the name of the tab, so that a tab behind others tells it. */
function useTitle(questions: number): void {
  const { words } = useSettings();
  useEffect(() => {
    const name = words.say('app.name');
    document.title = questions === 0 ? name : `(${questions}) ${name}`;
  }, [questions, words]);
}

/** A short tone when one more question waits. A browser plays it only after the person has touched the page once. */
function useSound(questions: number): void {
  const { settings } = useSettings();
  const before = useRef(questions);
  useEffect(() => {
    const isMore = questions > before.current;
    before.current = questions;
    if (!isMore || !settings.sound) return;
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    volume.gain.value = 0.1;
    tone.frequency.value = 660;
    tone.connect(volume).connect(audio.destination);
    tone.onended = () => void audio.close();
    tone.start();
    tone.stop(audio.currentTime + 0.4);
  }, [questions, settings.sound]);
}
